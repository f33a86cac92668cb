/** Every error code of the service with its HTTP status and its constant title. */
export const errorCodes = {
  INVALID_ENUM_VALUE: { status: 400, title: 'Value is not one of the allowed values' },
  VALUE_INVALID_FORMAT: { status: 400, title: 'Value has an invalid format' },
  VALUE_IS_ABSENT: { status: 400, title: 'Required value is absent' },
  INVALID_PAYLOAD: { status: 400, title: 'Request body cannot be read' },
  UNEXPECTED_PARAMETER: { status: 400, title: 'Query parameter is not allowed here' },
  UNAUTHORIZED: { status: 401, title: 'Authentication is required' },
  ACCESS_TOKEN_EXPIRED: { status: 401, title: 'Access token has expired' },
  INSUFFICIENT_ENTITLEMENTS: { status: 403, title: 'Access to the operation is forbidden' },
  CLIENT_GENERATED_ID_NOT_SUPPORTED: { status: 403, title: 'The server assigns the id' },
  NOT_FOUND: { status: 404, title: 'Resource or operation does not exist' },
  METHOD_NOT_SUPPORTED: { status: 405, title: 'HTTP method is not supported here' },
  NOT_ACCEPTABLE: { status: 406, title: 'No acceptable media type' },
  CONFLICT: { status: 409, title: 'Request conflicts with the state of the resource' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition of the request does not hold' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Media type of the request is not supported' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Rate limit exceeded' },
  INTERNAL_SERVER_ERROR: { status: 500, title: 'Server-side failure' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errorCodes

/**
 * The code of each fault that only some operations can have. The code that finds a fault and the interface description use
 * this table.
 */
export const faultCodes = {
  /** The target of the request does not exist. */
  absent: 'NOT_FOUND',
  /** Linkage names a resource that does not exist. */
  dangling: 'NOT_FOUND',
  /** The operator has blocked the caller. */
  blocked: 'INSUFFICIENT_ENTITLEMENTS',
  /** The kind or the scopes of the token do not permit the operation. */
  forbidden: 'INSUFFICIENT_ENTITLEMENTS',
  /** Somebody else owns the resource. */
  foreign: 'INSUFFICIENT_ENTITLEMENTS',
  /** A create brings an id. */
  clientId: 'CLIENT_GENERATED_ID_NOT_SUPPORTED',
  /** The resource is not in a state that `If-Match` and `If-None-Match` allow. */
  stale: 'PRECONDITION_FAILED',
  /** The type or the id of a resource object is not that of its target. */
  otherType: 'CONFLICT',
  otherId: 'CONFLICT',
  /** Another resource has a value that must be unique. */
  taken: 'CONFLICT',
  /** A quota is reached. */
  full: 'CONFLICT',
  /** A transaction deletes a resource that too many members name. */
  linked: 'CONFLICT',
} as const satisfies Record<string, ErrorCode>

/** A status that an error can answer with. */
export type ErrorStatus = (typeof errorCodes)[ErrorCode]['status']

/** Where in the request the fault lies: exactly one of the four. */
export type ErrorSource =
  | { readonly parameter: string }
  | { readonly pointer: string }
  | { readonly header: string }
  | { readonly path: string }

/** One fault of a request. `detail` names the offending value and what is allowed. */
export interface Problem {
  readonly code: ErrorCode
  readonly detail: string
  readonly source?: ErrorSource
}

/** The maximum number of errors in one answer. */
export const maxErrors = 50

/** The member that identifies a resource to the caller, and its value. */
export interface IdName {
  readonly member: 'id' | 'lid'
  readonly value: unknown
}

/** The name of a resource outside of transactions. */
export function nameById(id: unknown): IdName {
  return { member: 'id', value: id }
}

/** Collects problems. After {@link maxErrors} it only counts them. */
export class ProblemList {
  readonly kept: Problem[] = []
  omitted = 0
  /** How the problems name resources. */
  readonly nameOf: (id: unknown) => IdName

  constructor(nameOf = nameById) {
    this.nameOf = nameOf
  }

  /** How many problems were found. */
  get count(): number {
    return this.kept.length + this.omitted
  }

  /** Adds a problem. The function is called only if the answer has room for it. */
  add(problem: () => Problem): void {
    if (this.kept.length < maxErrors) {
      this.kept.push(problem())
    } else {
      this.omitted++
    }
  }

  /** Adds a problem. By default, its code is that of a value with a wrong format, or out of its bounds. */
  addProblem(detail: string, source?: ErrorSource, code: ErrorCode = 'VALUE_INVALID_FORMAT'): void {
    this.add(() => ({ code, detail, ...(source && { source }) }))
  }

  /** Adds the problems of another list. */
  join({ kept, omitted }: Pick<ProblemList, 'kept' | 'omitted'>): void {
    for (const problem of kept) {
      this.add(() => problem)
    }
    this.omitted += omitted
  }
}

/** Response headers that belong to an error, such as `Allow`, `WWW-Authenticate` and `Retry-After`. */
export type ErrorHeaders = Readonly<Record<string, string>>

/** The problems that end a request. Any code may throw it; one place turns it into an answer. */
export class ApiError extends Error {
  readonly problems: readonly Problem[]
  readonly headers: ErrorHeaders
  /** How many more problems were found. */
  readonly omitted: number

  constructor(
    problems: readonly Problem[],
    headers: ErrorHeaders = {},
    { omitted = 0, ...options }: ErrorOptions & { readonly omitted?: number } = {},
  ) {
    super(problems.map((problem) => problem.code).join(', '), options)
    this.name = 'ApiError'
    this.problems = problems
    this.headers = headers
    this.omitted = omitted
  }

  /** Makes an error of one problem. */
  static of(
    code: ErrorCode,
    detail: string,
    source?: ErrorSource,
    headers?: ErrorHeaders,
  ): ApiError {
    return new ApiError([source ? { code, detail, source } : { code, detail }], headers)
  }

  /**
   * Makes the error of a failure that is not the caller's: INTERNAL_SERVER_ERROR.
   *
   * @param cause goes only to the log
   * @param retryAfter the seconds after which the request may be sent again
   */
  static failure(detail: string, cause: unknown, retryAfter?: number): ApiError {
    const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
    return new ApiError([{ code: 'INTERNAL_SERVER_ERROR', detail }], headers, { cause })
  }

  /** The status that all problems share; 400 if they differ. */
  get status(): ErrorStatus {
    const [first, ...rest] = this.problems.map((problem) => errorCodes[problem.code].status)
    return first !== undefined && rest.every((status) => status === first) ? first : 400
  }
}

// How the details of errors are worded.

/**
 * A sentence that names what is at fault, the value that was sent, and what it must be.
 *
 * @param must what the value must be, a phrase that begins with "must"
 * @param value the value that was sent, which the sentence repeats unless it is an object, an array or undefined
 */
export function sentence(subject: string, must: string, value?: unknown): string {
  const said =
    typeof value === 'string'
      ? quote(value)
      : typeof value === 'object' && value !== null
        ? undefined
        : value?.toString()
  return said === undefined ? `${subject} ${must}.` : `${subject} is ${said}, but ${must}.`
}

/** A value in the form in which errors repeat it: short, in quotes, on one line. */
export function quote(value: unknown): string {
  return JSON.stringify(
    brief(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')),
  )
}

/** At most the first 64 characters of a text, as well-formed UTF-16. */
export function brief(text: string): string {
  return (text.length > 64 ? `${text.slice(0, 64)}…` : text).toWellFormed()
}

/** The list of allowed values in a detail. */
export function enumerate(values: readonly unknown[]): string {
  return values.length > 0 ? values.join(', ') : 'none'
}
