import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import { isRead, operations, takesBody } from '../jsonapi/declare/operation.ts'
import type { OperationRule } from '../jsonapi/declare/resource.ts'
import { type ErrorCode, errorCodes } from '../jsonapi/errors.ts'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { isOpen } from './access.ts'
import type { Reference } from './components.ts'
import type { DescribeHeaders } from './headers.ts'
import { object, oneOf, type SchemaObject } from './schema.ts'
import { jsonapiSchema, meta, type Scope } from './schemas.ts'

/** The error answers that an operation can end in, by status. */
export function errorResponses(
  scope: Scope,
  facts: Facts,
  headers: DescribeHeaders,
): Readonly<Record<string, SchemaObject>> {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => occurs[code](facts))
  const byStatus = Object.groupBy(codes, (code) => errorCodes[code].status)
  const mixed = codes.filter((code) => foundByValidation(facts).includes(code))
  const all = { ...byStatus, 400: [...(byStatus[400] ?? []), ...mixed] }
  const kind = kindOf(facts)
  return Object.fromEntries(
    Object.entries(all).map(([status, codes]) => {
      // Operations with bodies can have other faults, so that their errors have components of their own.
      const differs =
        status === '400' || (status === '403' && (facts.creates || facts.replacesMembers))
      const blocks = status === '403' && !differs && !facts.guarded
      const response = `Error${status}${blocks ? 'Blocked' : differs ? kind : ''}`
      return [
        status,
        scope.components.use('responses', response, () => ({
          description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join('\n\n'),
          headers: headersOf(blocks ? 'blocked' : status, headers),
          content: { [mediaType]: contentOf(scope, response, codes) },
        })),
      ]
    }),
  )
}

/** The part of a component name that tells operations with different errors apart; empty for reads. */
function kindOf({ reads, transacts, creates, takesBody, takesResource }: Facts): string {
  if (reads) {
    return ''
  }
  if (transacts) {
    return 'Transaction'
  }
  return creates ? 'Create' : takesResource ? 'Update' : takesBody ? 'Linkage' : 'Delete'
}

/** The facts of an operation that decide which errors it can end in. */
export interface Facts {
  readonly reads: boolean
  /** Is it a transaction, which can end in the errors of each write operation? */
  readonly transacts: boolean
  /** Can a caller be allowed some of its operations and not others? */
  readonly mixesAccess: boolean
  readonly creates: boolean
  /** Does it read a body: a resource object, or linkage? */
  readonly takesBody: boolean
  readonly takesResource: boolean
  /** Can its resource object replace a to-many relationship, of which a caller may not have seen all members? */
  readonly replacesMembers: boolean
  /** Can it exceed the quota of members? */
  readonly addsMembers: boolean
  /** Are there valid tokens that it refuses, other than those of blocked callers? */
  readonly guarded: boolean
  /** Does the path or the body name a resource, which may not exist? */
  readonly names: boolean
}

/** The facts of an endpoint. */
export function factsOf({ definition, operation, relationship, rule }: Endpoint): Facts {
  const takesResource = takesBody(operation) && relationship === undefined
  const isNamed = operations[operation].on !== 'collection'
  return {
    reads: isRead(operation),
    transacts: false,
    mixesAccess: false,
    creates: operation === 'create',
    takesBody: takesBody(operation),
    takesResource,
    replacesMembers:
      operation === 'update' &&
      Object.values(definition.relationships).some((one) => 'replaceMany' in one.operations),
    addsMembers: operation === 'addMany' || operation === 'replaceMany',
    guarded: !isOpen(rule.access),
    names: isNamed || (takesResource && Object.keys(definition.relationships).length > 0),
  }
}

const everywhere = () => true

/** The facts of transactions, which can end in the errors of any write. */
export function transactionFacts({ access }: OperationRule): Facts {
  return {
    reads: false,
    transacts: true,
    mixesAccess: access.length > 1,
    creates: true,
    takesBody: true,
    takesResource: true,
    addsMembers: true,
    replacesMembers: true,
    guarded: true,
    names: true,
  }
}

/** For each code, whether an operation can end in it. */
const occurs: Readonly<Record<ErrorCode, (facts: Facts) => boolean>> = {
  INVALID_ENUM_VALUE: ({ reads, takesBody }) => reads || takesBody,
  VALUE_INVALID_FORMAT: everywhere,
  VALUE_IS_ABSENT: ({ takesBody }) => takesBody,
  INVALID_PAYLOAD: ({ takesBody }) => takesBody,
  UNEXPECTED_PARAMETER: everywhere,
  UNAUTHORIZED: everywhere,
  ACCESS_TOKEN_EXPIRED: everywhere,
  INSUFFICIENT_ENTITLEMENTS: everywhere,
  CLIENT_GENERATED_ID_NOT_SUPPORTED: ({ creates }) => creates,
  FULL_REPLACEMENT_NOT_SUPPORTED: ({ replacesMembers }) => replacesMembers,
  NOT_FOUND: ({ names }) => names,
  METHOD_NOT_SUPPORTED: everywhere,
  NOT_ACCEPTABLE: everywhere,
  CONFLICT: ({ takesResource, addsMembers }) => takesResource || addsMembers,
  PRECONDITION_FAILED: ({ transacts }) => !transacts,
  UNSUPPORTED_MEDIA_TYPE: ({ takesBody }) => takesBody,
  TOO_MANY_REQUESTS: everywhere,
  INTERNAL_SERVER_ERROR: everywhere,
}

/** Codes of other statuses that validation finds, and that are told in a 400 together with faults of 400 (contract, section 2). */
function foundByValidation({ takesResource, transacts, mixesAccess }: Facts): readonly ErrorCode[] {
  return [
    ...(mixesAccess ? (['INSUFFICIENT_ENTITLEMENTS'] as const) : []),
    ...(transacts ? (['NOT_FOUND'] as const) : []),
    ...(takesResource ? (['CLIENT_GENERATED_ID_NOT_SUPPORTED', 'CONFLICT'] as const) : []),
  ]
}

/**
 * The headers of error answers. A 405, a 406 and the 403 of a blocked caller come before the limiter, and a 500 may.
 *
 * @param status or `blocked`, where a 403 is for blocked callers alone
 */
function headersOf(status: string, { describe, always, limit }: DescribeHeaders): SchemaObject {
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
  return { ...describe([...always, ...certain]), ...describe(possible, false) }
}

function contentOf(scope: Scope, response: string, codes: readonly ErrorCode[]): SchemaObject {
  const statuses = [...new Set(codes.map((code) => String(errorCodes[code].status)))]
  const one = object({ status: oneOf(statuses), code: oneOf(codes) }, ['status', 'code'])
  // The item is repeated as a whole, because generated types take the last of two arrays in place of both.
  const items = { allOf: [errorSchema(scope), one] }
  const narrowed = object({ errors: { type: 'array', items } }, ['errors'])
  const recorded = Object.entries(scope.examples?.errors[response] ?? {})
  return {
    schema: { allOf: [errorDocument(scope), narrowed] },
    ...(recorded.length > 0 && { examples: Object.fromEntries(recorded) }),
  }
}

/** The schema of the document of every error answer (contract, section 8). */
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

/** The schema of one error (contract, section 5). */
function errorSchema({ components }: Scope): Reference {
  const text = (description: string) => ({ type: 'string', description })
  return components.use('schemas', 'ErrorObject', () =>
    object(
      {
        id: text('Names this occurrence of the error. The log line of a 500 has the same id.'),
        status: text('The HTTP status.'),
        code: text('The machine-readable code of the error, one of those that the answer lists.'),
        title: text('A short title, which is the same for all errors with the code.'),
        detail: text(
          'A sentence that names the value that is wrong in this request, and what is allowed.',
        ),
        source: {
          ...object({
            parameter: text('The name of the query parameter.'),
            pointer: text('A JSON pointer (RFC 6901) into the request body.'),
            header: text('The name of the request header.'),
            path: text('The name of the path parameter.'),
          }),
          description: 'Where the fault is: one of these members.',
          maxProperties: 1,
        },
        links: meta,
        meta,
      },
      ['id', 'status', 'code', 'title', 'detail'],
    ),
  )
}
