import { isRead } from '../jsonapi/declare/operation.ts'
import { type Endpoint, successOf } from '../jsonapi/declare/registry.ts'
import { mediaType } from '../jsonapi/json.ts'
import type { Scope } from './components.ts'
import { documentSchema } from './documents.ts'
import { mapped, type SchemaObject } from './schema.ts'

/** The answers of an operation that are no errors, by status: success, and 304 for a read. */
export function successResponses(
  scope: Scope,
  endpoint: Endpoint,
): Readonly<Record<string, SchemaObject>> {
  const { operation } = endpoint
  const { limit, session, repeat } = scope.headers
  const { status, headers } = successOf(endpoint)
  const isGet = isRead(operation)
  const creates = operation === 'create'
  const certain = [...Object.keys(limit), ...(operation === 'delete' ? [] : ['ETag'])]
  const possible = [
    ...(creates ? Object.keys(repeat?.headers ?? {}) : []),
    ...Object.keys(session),
    ...headers.map(([name]) => name),
  ]
  const success = {
    description: isGet
      ? 'The document that was asked for.'
      : creates
        ? 'The new resource.'
        : 'The operation is done.',
    headers: describeHeaders(
      scope,
      [...certain, 'Cache-Control', ...(creates ? ['Location'] : [])],
      possible,
    ),
    ...((isGet || creates) && {
      content: { [mediaType]: { schema: documentSchema(scope, endpoint) } },
    }),
  }
  const notModified = () => ({
    description: 'The answer that `If-None-Match` names is still current.',
    headers: describeHeaders(scope, certain),
  })
  return {
    [status]: success,
    ...(isGet && { 304: scope.components.use('responses', 'NotModified', notModified) }),
  }
}

/**
 * Describes the headers of an answer by their names, and those of every answer. Headers that every such answer has are described
 * once and referred to.
 */
export function describeHeaders(
  { components, headers: { always, limit, session, repeat } }: Scope,
  certain: readonly string[],
  possible: readonly string[] = [],
): SchemaObject {
  const described: Readonly<Record<string, SchemaObject>> = {
    ...headers,
    ...mapped(limit, (description) => integer(description, 'int32')),
    ...mapped({ ...always, ...session }, string),
    ...repeat?.headers,
  }
  const one = (name: string) => described[name] ?? string('')
  return Object.fromEntries([
    ...[...Object.keys(always), ...certain].map((name) => [
      name,
      components.use('headers', name, () => ({ ...one(name), required: true })),
    ]),
    ...possible.map((name) => [name, one(name)]),
  ])
}

function string(description: string): SchemaObject {
  return { description, schema: { type: 'string' } }
}

function integer(description: string, format: 'int32' | 'int64'): SchemaObject {
  return { description, schema: { type: 'integer', format, minimum: 0 } }
}

/** The headers of the protocol (RFC 9110; RFC 6750). */
const headers: Readonly<Record<string, SchemaObject>> = {
  'Accept-Encoding': string('`identity`: bodies are not compressed. In an answer to one that is.'),
  'Accept-Patch': string('The media type of bodies. In an answer to a PATCH.'),
  'Accept-Post': string('The media type of bodies. In an answer to a POST.'),
  Allow: string('The methods that are allowed at the path.'),
  'Cache-Control': string('Who may store the answer, and for how long.'),
  ETag: string(
    'Names the bytes of the answer for `If-None-Match` and, in an answer to the owner of its resource, the state of the resource for `If-Match`.',
  ),
  Location: string('The path of the new resource.'),
  'Retry-After': integer('The seconds to wait before the next attempt.', 'int64'),
  'WWW-Authenticate': string('What is wrong with the token, and the URL of the resource metadata.'),
}
