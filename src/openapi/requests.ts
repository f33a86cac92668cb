import type * as z from 'zod/mini'
import { hasId } from '../jsonapi/declare/operation.ts'
import type { Endpoint, Registry } from '../jsonapi/declare/registry.ts'
import {
  identifierMeta,
  type Relationship,
  writableAttributes,
  writableRelationships,
} from '../jsonapi/declare/resource.ts'
import { bodySchema, maxIdLength } from '../jsonapi/request/body.ts'
import { type Parameter, parameters, queryRules } from '../jsonapi/request/query-parameters.ts'
import type { Schema } from '../jsonapi/zod.ts'
import { capitalize, type Draft, typeName } from './components.ts'
import { idSchema } from './documents.ts'
import {
  exampleOf,
  examplesIn,
  mapRecord,
  type Part,
  type SchemaObject,
  schemaObject,
} from './json-schema.ts'

/** The parameters of an operation: its id, its query string, and its preconditions. */
export function parametersOf(draft: Draft, endpoint: Endpoint): readonly Part[] {
  const rules = queryRules(draft.registry, endpoint)
  const size = rules.paging === 'none' ? undefined : rules.paging.size
  return [
    ...(hasId(endpoint.operation) ? [idParameter(draft, endpoint)] : []),
    ...[...parameters(rules).values()].map((one) =>
      queryParameter(draft, one, { 'page[limit]': size, 'page[offset]': 0 }[one.name]),
    ),
    ...headerParameters(draft, preconditions),
  ]
}

/** The parameter `id` in the path. The example of a DELETE names a resource that the other examples do not need. */
function idParameter(draft: Draft, { definition, operation }: Endpoint): Part {
  const { description, example = '1', ...schema } = idSchema(definition)
  const parameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: description ?? `The id of one of the ${definition.type}.`,
    schema: { ...schema, maxLength: maxIdLength },
  }
  const expendable = draft.expendable[definition.type]
  return operation === 'delete' && expendable !== undefined
    ? { ...parameter, example: expendable }
    : draft.use('parameters', `${typeName(definition)}Id`, () => ({ ...parameter, example }))
}

/** Headers that requests can have, by name. */
export function headerParameters(draft: Draft, headers: Readonly<Record<string, Part>>): Part[] {
  return Object.entries(headers).map(([name, header]) =>
    draft.use('parameters', name, () => ({ name, in: 'header', ...header })),
  )
}

const preconditions = {
  'If-Match': {
    description:
      'The `ETag` of an earlier answer that shows the resource, in any view of it. Where the resource has changed since, nothing is done, and the answer is 412.',
    schema: { type: 'string' },
    example: '*',
  },
  'If-None-Match': {
    description:
      'The `ETag` of an earlier answer, or `*` for any. Where the resource is still in that state, the answer to a GET is 304; a write does nothing, and its answer is 412.',
    schema: { type: 'string' },
  },
}

/** A parameter of the query string. `fallback` is its value if it is not sent. */
function queryParameter(
  draft: Draft,
  { name, isList, schema: make, description }: Parameter,
  fallback: number | undefined,
): Part {
  // The part before the brackets, or the whole name, and the part between the brackets.
  const [, family = name, key = ''] = /^(\w+)\[(.*)\]$/.exec(name) ?? []
  const side = isList || description !== undefined ? 'input' : 'output'
  const { items, example: single = fallback, ...schema } = schemaObject(make(), side)
  const example = items && family !== 'fields' ? listExample(make(), items) : single
  const parameter = {
    name,
    in: 'query',
    description: description ?? (texts[name] ?? texts[family] ?? '').replace('{type}', key),
    ...(items && { style: 'form', explode: false, allowEmptyValue: true }),
    schema: {
      ...schema,
      ...(items && { items: draft.extract(items, 'input') }),
      ...(fallback !== undefined && { default: fallback }),
    },
    ...(example !== undefined && { example }),
  }
  // These have the same meaning in most places, so they are components. The others depend on the resource type.
  return family === 'fields' || family === 'page'
    ? draft.share('parameters', `${family}.${key}`, parameter)
    : parameter
}

/**
 * The example of a list. The examples of all parameters of an operation make one request that succeeds. A list of fields has none,
 * because it would hide other fields in the answer.
 */
function listExample(list: Schema, items: SchemaObject): readonly unknown[] {
  const examples = examplesIn((list._zod.def as z.core.$ZodArrayDef<Schema>).element)
  return examples.length > 0 ? examples : [exampleOf(items) ?? '1']
}

/** The descriptions of parameters, by name or by the part before the brackets. */
const texts: Readonly<Record<string, string>> = {
  include:
    'Relationships whose related resources the answer holds in `included`. Dots lead to the relationships of related resources. An answer holds at most 1,000 of them; for more it is a 400.',
  fields:
    'The fields of `{type}` to return: attributes and relationships. Dots lead to members of objects. An empty value returns no fields.',
  filter:
    'Returns resources that have one of these values. Where several filters are sent, resources must pass all of them. An empty value matches nothing. Only callers who may read an attribute may filter by it.',
  sort: 'The keys of the order, the most significant one first. `-` before a name sorts in descending order. Letters compare without case and accents. For callers who may not read an attribute, all its values are equal: the order is that of ids.',
  'page[cursor]':
    'The cursor of the page: `meta.pagination.nextCursor` of the page before. A cursor is valid only with the sort and the filters that it was made with.',
  'page[limit]': 'The largest number of resources on a page.',
  'page[offset]':
    'The number of resources before the page. It must not be sent together with `page[cursor]`.',
}

/** The schema of the body of an operation, and a valid example. */
export function bodyOf(draft: Draft, endpoint: Endpoint): Part {
  const { definition, operation, relationship, declared } = endpoint
  // If members have meta, the body of a removal has a component of its own, because meta is optional there.
  const isRemoval = operation === 'removeMany' && identifierMeta(declared)
  const what = declared
    ? capitalize(relationship) + (isRemoval ? 'Removal' : 'Update')
    : capitalize(operation)
  const schema = draft.use('schemas', typeName(definition) + what, () =>
    draft.extract(schemaObject(bodySchema(endpoint), 'input'), 'input'),
  )
  return { schema, example: { data: dataExample(draft.registry, endpoint) } }
}

/**
 * An example of `data` in the body of an operation: linkage, a whole resource for a create, or one attribute for an update.
 *
 * @param nth which of the examples of each attribute to take, from 0. Examples that create resources take different ones, because
 *   some values belong to one resource only.
 */
export function dataExample(registry: Registry, endpoint: Endpoint, nth = 0): unknown {
  const { definition, operation, declared } = endpoint
  const { type, id } = definition
  if (declared) {
    return linkageExample(registry, declared, operation !== 'removeMany')
  }
  const values = writableAttributes(definition)
    .map(([name, { schema }]) => [name, examplesIn(schema())[nth] ?? exampleIn(schema)])
    .filter(([, example]) => example !== undefined)
  if (operation === 'update') {
    const [first = '1'] = examplesIn(id?.schema())
    return { type, id: first, attributes: Object.fromEntries(values.slice(0, 1)) }
  }
  const linkage = writableRelationships(definition).map(([name, one]) => [
    name,
    { data: linkageExample(registry, one, true) },
  ])
  return {
    type,
    attributes: Object.fromEntries(values),
    ...(linkage.length > 0 && { relationships: Object.fromEntries(linkage) }),
  }
}

/** An example of linkage. The last example of an id identifies a related resource; the first one is the id in paths. */
function linkageExample(registry: Registry, relationship: Relationship, withMeta: boolean) {
  const { type, id } = registry.get(relationship.target)
  const meta = withMeta && identifierMeta(relationship)
  const identifier = {
    type,
    id: examplesIn(id?.schema()).at(-1) ?? '1',
    ...(meta && { meta: mapRecord(meta, ({ schema }) => exampleIn(schema)) }),
  }
  return relationship.cardinality === 'one' ? identifier : [identifier]
}

function exampleIn(schema: () => Schema): unknown {
  return exampleOf(schemaObject(schema(), 'input'))
}
