import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import { isRead, operations, takesKey } from '../jsonapi/declare/operation.ts'
import { replayedHeader } from '../jsonapi/request/idempotency-key.ts'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { queryRules } from '../jsonapi/request/parameters.ts'
import { documentSchema } from './documents.ts'
import { errorResponses, factsOf } from './errors.ts'
import type { DescribeHeaders } from './headers.ts'
import { operationId } from './operation-id.ts'
import { includedTypes } from './parameters.ts'
import type { SchemaObject } from './schema.ts'
import type { Scope } from './schemas.ts'

/** The answers of an operation by status: success, 304 for a read, and the errors that it can end in. */
export function responsesOf(
  scope: Scope,
  endpoint: Endpoint,
  headers: DescribeHeaders,
): Readonly<Record<string, SchemaObject>> {
  const { operation, rule } = endpoint
  const { limit, session, describe } = headers
  const isGet = isRead(operation)
  const creates = operation === 'create'
  const always = [...headers.always, ...limit, ...(isGet ? ['ETag'] : [])]
  const rules = queryRules(scope.registry, endpoint)
  // The answer to a create has the form of an answer to a read.
  const included = includedTypes(scope, creates ? { ...endpoint, operation: 'get' } : endpoint)
  const example = scope.examples?.answers[operationId(endpoint)]
  const written = isGet || operation === 'delete' ? [] : ['ETag']
  const own = (rule.headers ?? []).map(([name]) => name)
  const success = {
    description: isGet
      ? 'The document that was asked for.'
      : creates
        ? 'The new resource.'
        : 'The operation is done.',
    headers: {
      ...describe([...always, 'Cache-Control', ...(creates ? ['Location'] : []), ...written]),
      ...describe([...(takesKey(operation) ? [replayedHeader] : []), ...session, ...own], false),
    },
    ...((isGet || creates) && {
      content: {
        [mediaType]: {
          schema: documentSchema(scope, endpoint, { rules, included }),
          ...(example !== undefined && { example }),
        },
      },
    }),
  }
  const notModified = () => ({
    description: 'The answer that `If-None-Match` names is still current.',
    headers: describe(always),
  })
  return {
    [rule.status ?? operations[operation].status]: success,
    ...(isGet && { 304: scope.components.use('responses', 'NotModified', notModified) }),
    ...errorResponses(scope, factsOf(endpoint), headers),
  }
}
