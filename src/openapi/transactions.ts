import {
  type Endpoint,
  endpointName,
  operationsPath,
  transactionRule,
  writesOf,
} from '../jsonapi/declare/endpoint.ts'
import { type TransactionVerb, takesBody, verbs } from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { replayedHeader } from '../jsonapi/request/idempotency-key.ts'
import { atomicExtension, withExtension } from '../jsonapi/request/media-type.ts'
import {
  mostLinks,
  mostOperations,
  operationsMember,
  transactionBody,
} from '../jsonapi/request/operations.ts'
import { securityOf, whom } from './access.ts'
import { errorResponses, transactionFacts } from './errors.ts'
import type { DescribeHeaders } from './headers.ts'
import { idempotencyKey } from './parameters.ts'
import { dataExample, idExample } from './requests.ts'
import { object, type SchemaObject, schemaObject } from './schema.ts'
import { jsonapiSchema, resourceSchema, type Scope } from './schemas.ts'

/** The tag of transactions. */
export const transactionTag = 'operations'

/** The id of the operation that sends a transaction. */
const transactionId = 'sendOperations'

/** The path of transactions with its one operation (contract, section 13); undefined where nothing can be written. */
export function transactionPath(
  scope: Scope,
  headers: DescribeHeaders,
  parameters: readonly SchemaObject[],
): readonly [path: string, item: SchemaObject] | undefined {
  const rule = transactionRule(scope.registry)
  return (
    rule && [
      operationsPath,
      {
        ...(parameters.length > 0 && { parameters }),
        post: {
          operationId: transactionId,
          tags: [transactionTag],
          summary: 'Run several writes as one transaction',
          description: `Carries out all operations in their order, or none of them. These are the [atomic operations](${atomicExtension}) of JSON:API, at most ${mostOperations} in one request. An operation names its target by \`ref\` or \`href\`, and a resource that an earlier operation adds by its \`lid\`. An operation cannot delete a resource that more than ${mostLinks.toLocaleString('en')} members of relationships name: a request of its own can.\n\nCallers: ${whom(rule.access) || 'any valid access token'}. Each operation must keep to the rules of the single request that it stands for.\n\nSend an \`Idempotency-Key\`, so that the request can be sent again when its answer is lost.`,
          security: securityOf(rule.access),
          parameters: [idempotencyKey(scope)],
          requestBody: requestBody(scope),
          responses: {
            200: success(scope, headers),
            ...errorResponses(scope, transactionFacts(rule), headers),
          },
        },
      },
    ]
  )
}

function requestBody({ registry, components }: Scope): SchemaObject {
  return {
    required: true,
    content: {
      [withExtension(atomicExtension)]: {
        schema: components.use('schemas', 'Transaction', () => ({
          ...schemaObject(transactionBody(), 'input'),
          description:
            '`data` of an operation is the same as in the body of the single request that the operation stands for. A `lid` that an earlier operation has given to an added resource may stand in place of an `id`.',
        })),
        examples: Object.fromEntries(
          examplesOf(registry).map(([name, operations]) => [
            name,
            { summary: summaryOf(name), value: { [operationsMember]: operations } },
          ]),
        ),
      },
    },
  }
}

function success(
  scope: Scope,
  { always, limit, session, describe }: DescribeHeaders,
): SchemaObject {
  const { registry, components, examples } = scope
  const example = examples?.answers[transactionId]
  const added = registry.types
    .map((type) => registry.get(type))
    .filter(({ operations }) => operations.create)
    .map((definition) => resourceSchema(scope, definition))
  const [only, ...others] = added
  const data = others.length > 0 ? { anyOf: added } : only
  const result = object(data ? { data } : {})
  return {
    description: 'All operations are done.',
    headers: {
      ...describe([...always, ...limit, 'Cache-Control']),
      ...describe([replayedHeader, ...session], false),
    },
    content: {
      [withExtension(atomicExtension)]: {
        schema: components.use('schemas', 'TransactionResults', () =>
          object(
            {
              jsonapi: jsonapiSchema(scope),
              'atomic:results': {
                type: 'array',
                minItems: 1,
                maxItems: mostOperations,
                description:
                  'A result for each operation, in their order: the added resource, or an empty object.',
                items: result,
              },
            },
            ['jsonapi', 'atomic:results'],
          ),
        ),
        ...(example !== undefined && { example }),
      },
    },
  }
}

/**
 * An example that adds a resource and then names it by its `lid`, and one of each write operation. All of them can be sent one after
 * the other: each adds a resource with other values, and the one that removes a resource has added it.
 */
function examplesOf(registry: Registry): [name: string, operations: unknown[]][] {
  const writes = writesOf(registry)
  const lid = 'new'
  const add = writes.find(({ operation }) => operation === 'create')
  const then = writes.find(
    ({ operation, definition }) => operation === 'addMany' && definition === add?.definition,
  )
  const single = writes.map((endpoint): [string, unknown[]] => {
    const { definition, operation } = endpoint
    const adds = operation === 'delete' && definition === add?.definition
    return [
      endpointName(endpoint),
      adds
        ? [
            operationExample(registry, add, { lid }, 2),
            operationExample(registry, endpoint, { lid }),
          ]
        : [operationExample(registry, endpoint, { id: idExample(definition) }, 1)],
    ]
  })
  return add && then
    ? [
        [
          'lid',
          [operationExample(registry, add, { lid }, 3), operationExample(registry, then, { lid })],
        ],
        ...single,
      ]
    : single
}

function operationExample(
  registry: Registry,
  endpoint: Endpoint,
  named: Readonly<Record<string, unknown>>,
  nth = 0,
): unknown {
  const { definition, operation, relationship } = endpoint
  const kind =
    relationship === undefined
      ? 'resource'
      : (definition.relationships[relationship]?.cardinality ?? 'many')
  const op = (Object.keys(verbs[kind]) as TransactionVerb[]).find(
    (verb) => verbs[kind][verb] === operation,
  )
  const data = dataExample(registry, endpoint, nth)
  if (operation === 'create') {
    return { op, data: { ...(named.lid !== undefined && named), ...Object(data) } }
  }
  const ref = {
    type: definition.type,
    ...named,
    ...(relationship !== undefined && { relationship }),
  }
  return { op, ref, ...(takesBody(operation) && { data }) }
}

/** The summary of an example. */
function summaryOf(name: string): string {
  return name === 'lid' ? 'Adds a resource, and then names it by its `lid`' : name
}
