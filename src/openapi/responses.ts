import { type ErrorCode, errorCodes, faultCodes } from '../jsonapi/problems.ts'
import { isOpen } from './access.ts'
import type { Draft } from './components.ts'
import { jsonapiSchema, meta } from './documents.ts'
import { jsonApiContent, mapRecord, object, type Part, type SchemaObject } from './json-schema.ts'
import type { OperationSpec } from './operations.ts'

/** The answers of an operation by status. */
export function responsesOf(draft: Draft, operation: OperationSpec) {
  const { method, success, errors } = operation
  const { status, description, content } = success
  const limit = Object.keys(draft.headers.limit)
  const optional = draft.optionalHeaders(operation)
  const faults = optional.flatMap(({ fault }) => fault ?? [])
  const all = Object.keys(errorCodes) as ErrorCode[]
  const found = all.filter((code) => errors.found.includes(code))
  const codes = all.filter((code) => [...found, ...errors.alone, ...faults].includes(code))
  const byStatus = { ...Object.groupBy(codes, (code) => errorCodes[code].status), 400: found }
  return {
    [status]: {
      description,
      headers: Object.assign(
        describeHeaders(draft, [...limit, ...success.headers], success.possibleHeaders),
        ...optional.map(({ headers }) => headers),
      ),
      ...(content && { content }),
    },
    ...(method === 'GET' && {
      304: draft.use('responses', 'NotModified', () => ({
        description: 'The answer that `If-None-Match` names is still current.',
        headers: describeHeaders(draft, [...limit, 'ETag']),
      })),
    }),
    ...mapRecord(byStatus, (codes, status) => errorResponseObject(draft, operation, status, codes)),
  }
}

/** The answer to errors with one status. Operations whose errors have the same codes share it. */
function errorResponseObject(
  draft: Draft,
  { access, errors }: OperationSpec,
  status: string,
  codes: readonly ErrorCode[],
): SchemaObject {
  const creates = status === '403' && codes.includes(faultCodes.clientId)
  // If any valid token will do, a 403 is only for blocked callers.
  const blocks = status === '403' && !creates && isOpen(access)
  const suffix = creates ? 'Create' : blocks ? 'Blocked' : status === '400' ? errors.kind : ''
  return draft.use('responses', `Error${status}${suffix}`, () => ({
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join('\n\n'),
    headers: errorHeaders(draft, blocks ? 'blocked' : status),
    content: jsonApiContent({ schema: errorDocumentSchema(draft, codes) }),
  }))
}

/**
 * The headers of error answers. A 405, a 406 and the 403 of a blocked caller come before the limiter, and a 500 may.
 *
 * @param status or `blocked`, if a 403 is only for blocked callers
 */
function errorHeaders(draft: Draft, status: string): Part {
  const limit = Object.keys(draft.headers.limit)
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
  return describeHeaders(draft, certain, possible)
}

/** Describes the headers of an answer by their names, and those of every answer. Headers that are always there are components. */
function describeHeaders(
  draft: Draft,
  certain: readonly string[],
  possible: readonly string[] = [],
): Part {
  const { always, limit } = draft.headers
  const known: Readonly<Record<string, Part>> = {
    ...protocolHeaders,
    ...mapRecord(limit, (description) => integerHeader(description, 'int32')),
    ...mapRecord(always, stringHeader),
  }
  return Object.fromEntries([
    ...[...Object.keys(always), ...certain].map((name) => [
      name,
      draft.use('headers', name, () => ({ ...known[name], required: true })),
    ]),
    ...possible.map((name) => [name, known[name] ?? stringHeader('')]),
  ])
}

function stringHeader(description: string): Part {
  return { description, schema: { type: 'string' } }
}

function integerHeader(description: string, format: 'int32' | 'int64'): Part {
  return { description, schema: { type: 'integer', format, minimum: 0 } }
}

/** The headers of the protocol (RFC 9110; RFC 6750). */
const protocolHeaders = {
  'Accept-Encoding': stringHeader(
    '`identity`: bodies are not compressed. In an answer to one that is.',
  ),
  'Accept-Patch': stringHeader('The media type of bodies. In an answer to a PATCH.'),
  'Accept-Post': stringHeader('The media type of bodies. In an answer to a POST.'),
  Allow: stringHeader('The methods that are allowed at the path.'),
  'Cache-Control': stringHeader('Who may store the answer, and for how long.'),
  ETag: stringHeader(
    'Names the bytes of the answer for `If-None-Match` and, in an answer to the owner of its resource, the state of the resource for `If-Match`.',
  ),
  Location: stringHeader('The path of the new resource.'),
  'Retry-After': integerHeader('The seconds to wait before the next attempt.', 'int64'),
  'WWW-Authenticate': stringHeader(
    'What is wrong with the token, and the URL of the resource metadata.',
  ),
}

/** The schema of the document of an error answer: any error document, narrowed to some codes. */
function errorDocumentSchema(draft: Draft, codes: readonly ErrorCode[]): SchemaObject {
  const statuses = [...new Set(codes.map((code) => String(errorCodes[code].status)))]
  const one = object(
    { status: { type: 'string', enum: statuses }, code: { type: 'string', enum: codes } },
    ['status', 'code'],
  )
  // The item is repeated as a whole, because generated types take the last of two arrays in place of both.
  const items = { allOf: [errorObjectSchema(draft), one] }
  const document = draft.use('schemas', 'ErrorDocument', () =>
    object(
      {
        jsonapi: jsonapiSchema(draft),
        errors: { type: 'array', minItems: 1, items: errorObjectSchema(draft) },
      },
      ['jsonapi', 'errors'],
    ),
  )
  return { allOf: [document, object({ errors: { type: 'array', items } }, ['errors'])] }
}

/** The schema of one error. */
function errorObjectSchema(draft: Draft): SchemaObject {
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
    ...object(mapRecord(sources, text)),
    description: 'Where the fault is: one of these members.',
    maxProperties: 1,
  }
  return draft.use('schemas', 'ErrorObject', () =>
    object({ ...mapRecord(texts, text), source, links: meta, meta }, Object.keys(texts)),
  )
}
