import {
  atomicExtension,
  maxLinks,
  maxOperations,
  operationsMember,
  operationsPath,
  transactionBody,
  transactionRule,
  writesOf,
} from '../jsonapi/atomic/extension.ts'
import { acceptsBody } from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { OperationRule } from '../jsonapi/declare/resource.ts'
import { withExtension } from '../jsonapi/json.ts'
import { faultCodes } from '../jsonapi/problems.ts'
import { bodySchema } from '../jsonapi/request/body.ts'
import { callersOf, securityOf } from './access.ts'
import type { Scope } from './components.ts'
import type { FurtherOperation } from './document.ts'
import { jsonapiSchema, resourceSchema } from './documents.ts'
import { type DescribeErrors, type Errors, errorsOf } from './errors.ts'
import { repeatParameters } from './parameters.ts'
import { dataExample } from './requests.ts'
import { describeHeaders } from './responses.ts'
import { mapped, object, type SchemaObject, type SchemaParts, schemaObject } from './schema.ts'

const tag = { name: 'operations', description: 'Several writes as one transaction.' }

/** The operation that sends a transaction. There is none if no type has a write operation. */
export function transactions(registry: Registry): FurtherOperation[] {
  const rule = transactionRule(registry)
  return rule
    ? [
        {
          path: operationsPath,
          method: 'POST',
          tag,
          errors: errorsIn(registry, rule),
          describe: (scope, errors) => transactionOperation(scope, rule, errors),
        },
      ]
    : []
}

/** The errors of transactions: those of each write, without conditions, and their own. */
function errorsIn(registry: Registry, { access }: OperationRule): Errors {
  const writes = writesOf(registry).map((write) => errorsOf(write, false))
  return {
    kind: 'Transaction',
    found: [
      ...writes.flatMap(({ found }) => found),
      ...[faultCodes.usedLid, faultCodes.undeclared],
      // A caller may be permitted some of the writes and not others.
      ...(access.length > 1 ? [faultCodes.forbidden] : []),
    ],
    alone: [...writes.flatMap(({ alone }) => alone), faultCodes.linked, faultCodes.usedKey],
  }
}

function transactionOperation(
  scope: Scope,
  { access }: OperationRule,
  errors: ReturnType<DescribeErrors>,
): SchemaObject {
  return {
    operationId: 'sendOperations',
    tags: [tag.name],
    summary: 'Run several writes as one transaction',
    description:
      `Carries out all operations in their order, or none of them. These are the [atomic operations](${atomicExtension}) of JSON:API, at most ${maxOperations} in one request. An operation names its target by \`ref\` or \`href\`, and a resource that an earlier operation adds by its \`lid\`. An operation cannot delete a resource that more than ${maxLinks.toLocaleString('en')} members of relationships name: a request of its own can.\n\n${callersOf(access)} Each operation must keep to the rules of the single request that it stands for.\n\n${scope.headers.repeat?.advice ?? ''}`.trim(),
    security: securityOf(access),
    parameters: repeatParameters(scope),
    requestBody: requestBody(scope),
    responses: { 200: success(scope), ...errors },
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
  const example = exampleOf(registry)
  const content = { schema, ...(example && { example }) }
  return { required: true, content: { [withExtension(atomicExtension)]: content } }
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
      [...Object.keys(headers.repeat?.headers ?? {}), ...Object.keys(headers.session)],
    ),
    content: { [withExtension(atomicExtension)]: { schema } },
  }
}

/** An example that adds a resource, and names it by its `lid` where members are added to it. Absent where neither can be done. */
function exampleOf(registry: Registry): object | undefined {
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
