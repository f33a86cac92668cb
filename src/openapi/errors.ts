import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import { operations, takesBody } from '../jsonapi/declare/operation.ts'
import { type ErrorCode, errorCodes } from '../jsonapi/errors.ts'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { isOpen } from './access.ts'
import type { DescribeHeaders } from './headers.ts'
import { object, oneOf, type SchemaObject } from './schema.ts'
import { jsonapiSchema, meta, type Scope } from './schemas.ts'

/** The error answers of an operation by status: those that it can end in, and no others. */
export function errorResponses(
  scope: Scope,
  facts: Facts,
  headers: DescribeHeaders,
): Readonly<Record<string, SchemaObject>> {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => occurs[code](facts))
  const byStatus = Object.groupBy(codes, (code) => errorCodes[code].status)
  const mixed = codes.filter((code) => foundByValidation(facts).includes(code))
  const all = { ...byStatus, 400: [...(byStatus[400] ?? []), ...mixed] }
  const kind = facts.transacts
    ? 'Transaction'
    : facts.creates
      ? 'Create'
      : facts.takesResource
        ? 'Update'
        : 'Linkage'
  return Object.fromEntries(
    Object.entries(all).map(([status, codes]) => {
      // What a body can be wrong in makes the difference, where there is one.
      const differs = status === '400' ? facts.takesBody : status === '403' && facts.creates
      return [
        status,
        scope.components.use('responses', `Error${status}${differs ? kind : ''}`, () => ({
          description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join('\n\n'),
          headers: headersOf(status, headers),
          content: { [mediaType]: contentOf(scope, codes) },
        })),
      ]
    }),
  )
}

/** What decides which errors an operation can end in. */
export interface Facts {
  /** It is made of several write operations, each with what it can end in. */
  readonly transacts: boolean
  readonly creates: boolean
  /** A body is read: a resource object, or linkage. */
  readonly takesBody: boolean
  readonly takesResource: boolean
  /** Members may come to be more than there may be. */
  readonly addsMembers: boolean
  /** Not every token will do. */
  readonly guarded: boolean
  /** The path or the body names a resource, which may not be there. */
  readonly names: boolean
}

/** What is to be known of an endpoint. */
export function factsOf({ definition, operation, relationship, rule }: Endpoint): Facts {
  const takesResource = takesBody(operation) && relationship === undefined
  const isNamed = operations[operation].on !== 'collection'
  return {
    transacts: false,
    creates: operation === 'create',
    takesBody: takesBody(operation),
    takesResource,
    addsMembers: operation === 'addMany' || operation === 'replaceMany',
    guarded: !isOpen(rule.access),
    names: isNamed || (takesResource && Object.keys(definition.relationships).length > 0),
  }
}

const everywhere = () => true

/** A transaction can end in whatever a write can end in. */
export const transactionFacts: Facts = {
  transacts: true,
  creates: true,
  takesBody: true,
  takesResource: true,
  addsMembers: true,
  guarded: true,
  names: true,
}

/** When each code can occur. */
const occurs: Readonly<Record<ErrorCode, (facts: Facts) => boolean>> = {
  INVALID_ENUM_VALUE: everywhere,
  VALUE_INVALID_FORMAT: everywhere,
  VALUE_IS_ABSENT: ({ takesBody }) => takesBody,
  INVALID_PAYLOAD: ({ takesBody }) => takesBody,
  UNEXPECTED_PARAMETER: everywhere,
  UNAUTHORIZED: everywhere,
  ACCESS_TOKEN_EXPIRED: everywhere,
  INSUFFICIENT_ENTITLEMENTS: ({ guarded }) => guarded,
  CLIENT_GENERATED_ID_NOT_SUPPORTED: ({ creates }) => creates,
  NOT_FOUND: ({ names }) => names,
  METHOD_NOT_SUPPORTED: everywhere,
  NOT_ACCEPTABLE: everywhere,
  CONFLICT: ({ takesResource, addsMembers }) => takesResource || addsMembers,
  PRECONDITION_FAILED: ({ transacts }) => !transacts,
  UNSUPPORTED_MEDIA_TYPE: ({ takesBody }) => takesBody,
  TOO_MANY_REQUESTS: everywhere,
  INTERNAL_SERVER_ERROR: everywhere,
}

/** Codes of other statuses that validation finds: beside faults of status 400 they stand in a 400 (contract, section 2). */
function foundByValidation({ takesResource, transacts }: Facts): readonly ErrorCode[] {
  const inResource: ErrorCode[] = ['CLIENT_GENERATED_ID_NOT_SUPPORTED', 'CONFLICT']
  return transacts
    ? ['INSUFFICIENT_ENTITLEMENTS', 'NOT_FOUND', ...inResource]
    : takesResource
      ? inResource
      : []
}

/** Headers of error answers: a 405 and a 406 never see the limiter, a 500 may. */
function headersOf(status: string, { describe, always, limit }: DescribeHeaders): SchemaObject {
  const { certain = limit, possible = [] } =
    {
      401: { certain: [...limit, 'WWW-Authenticate'] },
      403: { possible: ['WWW-Authenticate'] },
      405: { certain: ['Allow'] },
      406: { certain: [] },
      429: { certain: [...limit, 'Retry-After'] },
      500: { certain: [], possible: [...limit, 'Retry-After'] },
    }[status] ?? {}
  return { ...describe([...always, ...certain]), ...describe(possible, false) }
}

function contentOf(scope: Scope, codes: readonly ErrorCode[]): SchemaObject {
  const statuses = [...new Set(codes.map((code) => String(errorCodes[code].status)))]
  const narrowed = object({ status: oneOf(statuses), code: oneOf(codes) })
  const items = { allOf: [errorSchema(scope), narrowed] }
  return {
    schema: object(
      { jsonapi: jsonapiSchema(scope), errors: { type: 'array', minItems: 1, items } },
      ['jsonapi', 'errors'],
    ),
    examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
  }
}

function errorExample(code: ErrorCode): SchemaObject {
  const { status, title } = errorCodes[code]
  const id = '5b0ddf9c-8a0c-4d8e-9d1f-3f7f7e0f2a11'
  const detail = 'Names the offending value and what is allowed.'
  return {
    jsonapi: { version: '1.1' },
    errors: [{ id, status: String(status), code, title, detail }],
  }
}

/** One error (contract, section 5). */
function errorSchema({ components }: Scope): SchemaObject {
  const text = (description: string) => ({ type: 'string', description })
  return components.use('schemas', 'Error', () =>
    object(
      {
        id: text('Names this occurrence; of a 500 the log line has it too.'),
        status: text('The HTTP status.'),
        code: text('Machine-readable; one of those that the answer lists.'),
        title: text('The same for every error of the code.'),
        detail: text('What is wrong with this request: the offending value, and what is allowed.'),
        source: {
          ...object({
            parameter: text('The name of the query parameter.'),
            pointer: text('A JSON pointer (RFC 6901) into the request body.'),
            header: text('The name of the request header.'),
            path: text('The name of the path parameter.'),
          }),
          description: 'Where the fault lies: one of these.',
          maxProperties: 1,
        },
        links: meta,
        meta,
      },
      ['id', 'status', 'code', 'title', 'detail'],
    ),
  )
}
