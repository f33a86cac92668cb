import {
  atomicExtension,
  maxLinks,
  maxOperations,
  operationCodes,
  operationsMember,
  operationsPath,
  transactionBody,
  transactionRule,
  writesOf,
} from '../jsonapi/atomic/extension.ts'
import { acceptsBody } from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { faultCodes as fault } from '../jsonapi/problems.ts'
import { bodySchema } from '../jsonapi/request/body.ts'
import type { Draft } from './components.ts'
import { jsonapiSchema, resourceSchema } from './documents.ts'
import {
  jsonApiContent,
  mapRecord,
  object,
  type Part,
  type SchemaObject,
  schemaObject,
} from './json-schema.ts'
import { errorsOf, type OperationSpec } from './operations.ts'
import { dataExample } from './requests.ts'

/** The operation that sends a transaction. There is none if no type has a write operation. */
export function transactions(draft: Draft): OperationSpec[] {
  const { registry } = draft
  const rule = transactionRule(registry)
  if (!rule) {
    return []
  }
  const errors = writesOf(registry).map(errorsOf)
  // A caller may be permitted some of the writes and not others.
  const mixed = rule.access.length > 1 ? [fault.forbidden] : []
  return [
    {
      path: operationsPath,
      method: 'POST',
      tag: { name: 'operations', description: 'Several writes as one transaction.' },
      operationId: 'sendOperations',
      summary: 'Run several writes as one transaction',
      about: `Carries out all operations in their order, or none of them. These are the [atomic operations](${atomicExtension}) of JSON:API, at most ${maxOperations} in one request. An operation names its target by \`ref\` or \`href\`, and a resource that an earlier operation adds by its \`lid\`. An operation cannot delete a resource that more than ${maxLinks.toLocaleString('en')} members of relationships name: a request of its own can. Each operation must keep to the rules of the single request that it stands for.`,
      notes: [],
      access: rule.access,
      creates: true,
      parameters: [],
      body: jsonApiContent(requestBody(draft), atomicExtension),
      success: {
        status: 200,
        description: 'All operations are done.',
        headers: ['Cache-Control'],
        possibleHeaders: [],
        content: jsonApiContent({ schema: resultsSchema(draft) }, atomicExtension),
      },
      errors: {
        kind: 'Transaction',
        found: [
          ...errors.flatMap(({ found }) => found),
          ...Object.values(operationCodes),
          ...mixed,
        ],
        alone: [
          // An operation has no `If-Match`.
          ...errors.flatMap(({ alone }) => alone).filter((code) => code !== fault.stale),
          fault.linked,
        ],
      },
    },
  ]
}

function requestBody(draft: Draft): Part {
  const data = draft.use('schemas', 'OperationData', () => dataSchema(draft))
  const schema = draft.use('schemas', 'Transaction', () => {
    const transaction = schemaObject(transactionBody(), 'input')
    Object.assign(transaction.properties?.[operationsMember]?.items?.properties ?? {}, { data })
    return transaction
  })
  const example = transactionExample(draft.registry)
  return { schema, ...(example && { example }) }
}

/** The schema of `data` of an operation: that of any write, where a `lid` may stand in place of an `id`. */
function dataSchema(draft: Draft): SchemaObject {
  const all = writesOf(draft.registry)
    .filter(({ operation }) => acceptsBody(operation))
    .map((endpoint) => {
      const body = schemaObject(bodySchema(endpoint), 'input')
      return draft.extract(withLids(body.properties?.data ?? {}), 'input')
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
  const { properties, items, required } = schema
  return {
    ...schema,
    ...(properties && { properties: mapRecord(properties, withLids) }),
    ...(items && { items: withLids(items) }),
    ...(properties?.lid && required && { required: required.filter((name) => name !== 'id') }),
  }
}

function resultsSchema(draft: Draft): SchemaObject {
  const added = draft.registry.types
    .map((type) => draft.registry.get(type))
    .filter(({ operations }) => operations.create)
    .map((definition) => resourceSchema(draft, definition))
  const data = added.length > 1 ? { anyOf: added } : added[0]
  const results = {
    type: 'array',
    minItems: 1,
    maxItems: maxOperations,
    description:
      'A result for each operation, in their order: the added resource, or an empty object.',
    items: object(data ? { data } : {}),
  }
  return draft.use('schemas', 'TransactionResults', () =>
    object({ jsonapi: jsonapiSchema(draft), 'atomic:results': results }, [
      'jsonapi',
      'atomic:results',
    ]),
  )
}

/** An example that adds a resource, and then members to it by its `lid`. Absent unless both can be done. */
function transactionExample(registry: Registry): object | undefined {
  const writes = writesOf(registry)
  const create = writes.find(({ operation }) => operation === 'create')
  const add = writes.find(
    ({ operation, definition }) => operation === 'addMany' && definition === create?.definition,
  )
  if (!create || !add) {
    return undefined
  }
  const { type } = create.definition
  const ref = { type, lid: 'new', relationship: add.relationship }
  return {
    [operationsMember]: [
      { op: 'add', data: { lid: 'new', ...Object(dataExample(registry, create, 1)) } },
      { op: 'add', ref, data: dataExample(registry, add) },
    ],
  }
}
