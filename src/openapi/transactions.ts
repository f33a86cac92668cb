import {
  atomicExtension,
  maxLinks,
  maxOperations,
  operationsMember,
  transactionBody,
  verbs,
  writesOf,
} from '../jsonapi/atomic/extension.ts'
import { acceptsBody } from '../jsonapi/declare/operation.ts'
import { type Endpoint, endpointName, type Registry } from '../jsonapi/declare/registry.ts'
import type { OperationRule } from '../jsonapi/declare/resource.ts'
import { withExtension } from '../jsonapi/document.ts'
import { idempotencyKeyHeader, replayedHeader } from '../jsonapi/idempotency.ts'
import { bodySchema } from '../jsonapi/request/body.ts'
import { callersOf, securityOf } from './access.ts'
import type { Scope } from './components.ts'
import { jsonapiSchema, resourceSchema } from './documents.ts'
import type { DescribeErrors } from './errors.ts'
import { headerParameter } from './parameters.ts'
import { dataExample, idExample } from './requests.ts'
import { describeHeaders } from './responses.ts'
import { mapped, object, type SchemaObject, type SchemaParts, schemaObject } from './schema.ts'

/** The tag of transactions. */
export const transactionTag = 'operations'

/** The id of the operation that sends a transaction. */

/**
 * The operation that sends a transaction.
 *
 * @param rule of transactions
 */
export function transactionOperation(
  scope: Scope,
  { access }: OperationRule,
  errors: DescribeErrors,
): SchemaObject {
  return {
    operationId: 'sendOperations',
    tags: [transactionTag],
    summary: 'Run several writes as one transaction',
    description: `Carries out all operations in their order, or none of them. These are the [atomic operations](${atomicExtension}) of JSON:API, at most ${maxOperations} in one request. An operation names its target by \`ref\` or \`href\`, and a resource that an earlier operation adds by its \`lid\`. An operation cannot delete a resource that more than ${maxLinks.toLocaleString('en')} members of relationships name: a request of its own can.\n\n${callersOf(access)} Each operation must keep to the rules of the single request that it stands for.\n\nSend an \`Idempotency-Key\`, so that the request can be sent again when its answer is lost.`,
    security: securityOf(access),
    parameters: [headerParameter(scope, idempotencyKeyHeader)],
    requestBody: requestBody(scope),
    responses: {
      200: success(scope),
      ...errors(),
    },
  }
}

function requestBody(scope: Scope): SchemaObject {
  const { registry, components } = scope
  const data = components.use('schemas', 'OperationData', () => dataSchema(scope))
  const schema = components.use('schemas', 'Transaction', () => {
    const { properties = {}, ...transaction }: SchemaParts = schemaObject(
      transactionBody(),
      'input',
    )
    const operations: SchemaParts = properties[operationsMember] ?? {}
    const operation: SchemaParts = operations.items ?? {}
    const items = { ...operation, properties: { ...operation.properties, data } }
    return {
      ...transaction,
      properties: { ...properties, [operationsMember]: { ...operations, items } },
    }
  })
  const examples = mapped(examplesOf(registry), (operations, name) => ({
    summary: name === 'lid' ? 'Adds a resource, and then names it by its `lid`' : name,
    value: { [operationsMember]: operations },
  }))
  return { required: true, content: { [withExtension(atomicExtension)]: { schema, examples } } }
}

/** The schema of `data` of an operation: that of any write, where a `lid` may stand in place of an `id`. */
function dataSchema({ registry, components }: Scope): SchemaObject {
  const all = writesOf(registry)
    .filter(({ operation }) => acceptsBody(operation))
    .map(({ definition, operation, relationship }) => {
      const body = schemaObject(bodySchema(definition, operation, relationship), 'input')
      const { properties = {} }: SchemaParts = body
      return components.named(withLids(properties.data ?? {}), 'input')
    })
  const distinct = new Map(all.map((schema) => [JSON.stringify(schema), schema]))
  return {
    ...(distinct.size > 0 && { anyOf: [...distinct.values()] }),
    description:
      'The same as in the body of the single request that the operation stands for. A `lid` that an earlier operation has given to an added resource may stand in place of an `id`.',
  }
}

/** A schema in which no object with a `lid` requires an `id`. */
function withLids(schema: SchemaObject): SchemaObject {
  const { properties, items, required }: SchemaParts & { readonly required?: readonly string[] } =
    schema
  return {
    ...schema,
    ...(properties && { properties: mapped(properties, withLids) }),
    ...(items && { items: withLids(items) }),
    ...(properties?.lid && required && { required: required.filter((name) => name !== 'id') }),
  }
}

function success(scope: Scope): SchemaObject {
  const { registry, components, headers } = scope
  const added = registry.types
    .map((type) => registry.get(type))
    .filter(({ operations }) => operations.create)
    .map((definition) => resourceSchema(scope, definition))
  const [only, ...others] = added
  const data = others.length > 0 ? { anyOf: added } : only
  const results = {
    type: 'array',
    minItems: 1,
    maxItems: maxOperations,
    description:
      'A result for each operation, in their order: the added resource, or an empty object.',
    items: object(data ? { data } : {}),
  }
  const schema = components.use('schemas', 'TransactionResults', () =>
    object({ jsonapi: jsonapiSchema(scope), 'atomic:results': results }, [
      'jsonapi',
      'atomic:results',
    ]),
  )
  return {
    description: 'All operations are done.',
    headers: describeHeaders(
      scope,
      [...Object.keys(headers.limit), 'Cache-Control'],
      [replayedHeader, ...Object.keys(headers.session)],
    ),
    content: { [withExtension(atomicExtension)]: { schema } },
  }
}

/**
 * An example that adds a resource and then names it by its `lid`, and one of each write operation. All of them can be sent one after
 * the other: each adds a resource with other values, and the one that removes a resource has added it.
 */
function examplesOf(registry: Registry): Readonly<Record<string, readonly unknown[]>> {
  const writes = writesOf(registry)
  const named = { lid: 'new' }
  const example = (endpoint: Endpoint, target: Target, nth = 0) =>
    operationExample(registry, endpoint, target, nth)
  const add = writes.find(({ operation }) => operation === 'create')
  const then = writes.find(
    ({ operation, definition }) => operation === 'addMany' && definition === add?.definition,
  )
  const single = writes.map((endpoint) => {
    const { definition, operation } = endpoint
    return [
      endpointName(endpoint),
      add && operation === 'delete' && definition === add.definition
        ? [example(add, named, 2), example(endpoint, named)]
        : [example(endpoint, { id: idExample(definition) }, 1)],
    ] as const
  })
  const both = add && then ? { lid: [example(add, named, 3), example(then, named)] } : {}
  return { ...both, ...Object.fromEntries(single) }
}

/** What names the target of an operation: `id` or `lid`. */
type Target = Readonly<Record<string, unknown>>

/** An example of one operation. */
function operationExample(
  registry: Registry,
  endpoint: Endpoint,
  target: Target,
  nth: number,
): unknown {
  const { definition, operation, relationship } = endpoint
  const kind = definition.relationships[relationship ?? '']?.cardinality ?? 'resource'
  const [op] = Object.entries(verbs[kind]).find(([, write]) => write === operation) ?? []
  const data = dataExample(registry, endpoint, nth)
  if (operation === 'create') {
    return { op, data: { ...('lid' in target && target), ...Object(data) } }
  }
  const ref = {
    type: definition.type,
    ...target,
    ...(relationship !== undefined && { relationship }),
  }
  return { op, ref, ...(acceptsBody(operation) && { data }) }
}
