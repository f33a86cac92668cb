import { acceptsBody, hasId, isRead } from '../jsonapi/declare/operation.ts'
import { type Endpoint, endpointsOf } from '../jsonapi/declare/registry.ts'
import { mediaType } from '../jsonapi/json.ts'
import { type ErrorCode, errorCodes, faultCodes as fault } from '../jsonapi/problems.ts'
import { isOpen } from './access.ts'
import type { Reference, Scope } from './components.ts'
import { jsonapiSchema, meta } from './documents.ts'
import { describeHeaders } from './responses.ts'
import { enumOf, mapped, object, type SchemaObject } from './schema.ts'

/** The errors that operations of a kind can end in. */
export interface Errors {
  /** The kind, in names of answers; empty for reads. */
  readonly kind: string
  /** Will any valid token do? Then a 403 is for blocked callers alone. */
  readonly isOpen?: boolean
  /** The codes of what validation finds. They come together: in a 400, where their statuses differ. */
  readonly found: readonly ErrorCode[]
  /** The codes of what comes alone. */
  readonly alone: readonly ErrorCode[]
}

/** The codes of what can end any request, and comes alone. */
const everywhere: ErrorCode[] = [
  'UNAUTHORIZED',
  'ACCESS_TOKEN_EXPIRED',
  fault.blocked,
  'METHOD_NOT_SUPPORTED',
  'NOT_ACCEPTABLE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
]

/** The errors of an endpoint, which follow from what its operation does. */
export function errorsOf(endpoint: Endpoint, takesCondition = true): Errors {
  const { definition, operation, relationship, rule } = endpoint
  const related = Object.values(definition.relationships)
  const isGet = isRead(operation)
  const hasBody = acceptsBody(operation)
  const hasResource = hasBody && relationship === undefined
  const creates = operation === 'create'
  const addsMembers = operation === 'addMany' || operation === 'replaceMany'
  const namesTargets = hasResource ? related.length > 0 : addsMembers || operation === 'replaceOne'
  const rows: readonly (readonly [does: boolean, found: ErrorCode[], alone?: ErrorCode[]])[] = [
    [true, ['VALUE_INVALID_FORMAT', 'UNEXPECTED_PARAMETER'], everywhere],
    [isGet || hasBody, ['INVALID_ENUM_VALUE']],
    [hasBody, ['VALUE_IS_ABSENT', 'INVALID_PAYLOAD'], ['UNSUPPORTED_MEDIA_TYPE']],
    [hasResource, [fault.otherType, fault.otherId], [fault.taken, fault.full]],
    [creates, [fault.clientId], [fault.usedKey]],
    [addsMembers, [], [fault.full]],
    [namesTargets, [], [fault.dangling]],
    [hasId(endpoint.operation), [], [fault.absent]],
    [!isOpen(rule.access), [], [fault.forbidden, fault.foreign]],
    [takesCondition, [], [fault.stale]],
  ]
  const own = rows.filter(([does]) => does)
  return {
    isOpen: isOpen(rule.access),
    kind: isGet ? '' : creates ? 'Create' : hasResource ? 'Update' : hasBody ? 'Linkage' : 'Delete',
    found: own.flatMap(([, found]) => found),
    alone: own.flatMap(([, , alone = []]) => alone),
  }
}

/** The codes of errors by status, in the order of their declaration. */
function codesOf({ found, alone }: Errors): Readonly<Record<string, readonly ErrorCode[]>> {
  const all = Object.keys(errorCodes) as ErrorCode[]
  const codes = all.filter((code) => found.includes(code) || alone.includes(code))
  return {
    ...Object.groupBy(codes, (code) => errorCodes[code].status),
    400: all.filter((code) => found.includes(code)),
  }
}

/** Gives the answers of an operation that are errors, by status. */
export type DescribeErrors = (errors: Errors) => Readonly<Record<string, SchemaObject>>

/**
 * Makes the function that describes the errors of the operations of a service.
 *
 * @param further the errors of operations that no type declares
 */
export function errorDescriber(scope: Scope, further: readonly Errors[]): DescribeErrors {
  const { registry, components } = scope
  const all = [...endpointsOf(registry).map((one) => errorsOf(one)), ...further].map((errors) => ({
    kind: errors.kind,
    codes: codesOf(errors),
  }))
  /** The kind of the operations that share an answer with these codes; empty where no operation has other codes of the status. */
  const kindOf = (status: string, codes: readonly ErrorCode[]): string => {
    const having = all.filter((one) => status in one.codes)
    const sharing = having.filter((one) => String(one.codes[status]) === String(codes))
    const [first = ''] = sharing.map(({ kind }) => kind).toSorted()
    return sharing.length < having.length ? first : ''
  }
  return (errors) =>
    mapped(codesOf(errors), (codes, status) => {
      const blocks = status === '403' && codes.length === 1 && errors.isOpen
      const name = `Error${status}${blocks ? 'Blocked' : kindOf(status, codes)}`
      return components.use('responses', name, () => ({
        description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join('\n\n'),
        headers: headersOf(scope, blocks ? 'blocked' : status),
        content: { [mediaType]: contentOf(scope, codes) },
      }))
    })
}

/**
 * The headers of error answers. A 405, a 406 and the 403 of a blocked caller come before the limiter, and a 500 may.
 *
 * @param status or `blocked`, where a 403 is for blocked callers alone
 */
function headersOf(scope: Scope, status: string): SchemaObject {
  const limit = Object.keys(scope.headers.limit)
  const { certain = limit, possible = [] } =
    {
      401: { certain: [...limit, 'WWW-Authenticate'] },
      403: { certain: [], possible: [...limit, 'WWW-Authenticate'] },
      blocked: { certain: [] },
      405: { certain: ['Allow'] },
      406: { certain: [] },
      415: { possible: ['Accept-Patch', 'Accept-Post', 'Accept-Encoding'] },
      429: { certain: [...limit, 'Retry-After'] },
      500: { certain: [], possible: [...limit, 'Retry-After'] },
    }[status] ?? {}
  return describeHeaders(scope, certain, possible)
}

function contentOf(scope: Scope, codes: readonly ErrorCode[]): SchemaObject {
  const statuses = [...new Set(codes.map((code) => String(errorCodes[code].status)))]
  const one = object({ status: enumOf(statuses), code: enumOf(codes) }, ['status', 'code'])
  // The item is repeated as a whole, because generated types take the last of two arrays in place of both.
  const items = { allOf: [errorSchema(scope), one] }
  const narrowed = object({ errors: { type: 'array', items } }, ['errors'])
  return { schema: { allOf: [errorDocument(scope), narrowed] } }
}

/** The schema of the document of every error answer. */
function errorDocument(scope: Scope): Reference {
  return scope.components.use('schemas', 'ErrorDocument', () =>
    object(
      {
        jsonapi: jsonapiSchema(scope),
        errors: { type: 'array', minItems: 1, items: errorSchema(scope) },
      },
      ['jsonapi', 'errors'],
    ),
  )
}

/** The schema of one error. */
function errorSchema({ components }: Scope): Reference {
  const texts = {
    id: 'Names this occurrence of the error. The log line of a 500 has the same id.',
    status: 'The HTTP status.',
    code: 'The machine-readable code of the error, one of those that the answer lists.',
    title: 'A short title, which is the same for all errors with the code.',
    detail: 'A sentence that names the value that is wrong in this request, and what is allowed.',
  }
  const sources = {
    parameter: 'The name of the query parameter.',
    pointer: 'A JSON pointer (RFC 6901) into the request body.',
    header: 'The name of the request header.',
    path: 'The name of the path parameter.',
  }
  const text = (description: string) => ({ type: 'string', description })
  const source = {
    ...object(mapped(sources, text)),
    description: 'Where the fault is: one of these members.',
    maxProperties: 1,
  }
  return components.use('schemas', 'ErrorObject', () =>
    object({ ...mapped(texts, text), source, links: meta, meta }, Object.keys(texts)),
  )
}
