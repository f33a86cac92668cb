import { hasId } from '../jsonapi/declare/operation.ts'
import type { Endpoint } from '../jsonapi/declare/registry.ts'
import { maxIdLength } from '../jsonapi/request/body.ts'
import {
  filtersOf,
  type Parameter,
  parameters,
  type QueryRules,
  queryRules,
} from '../jsonapi/request/query-parameters.ts'
import type { Schema } from '../jsonapi/verdict.ts'
import type { Reference, Scope } from './components.ts'
import { idSchema } from './documents.ts'
import { nameOf } from './operations.ts'
import { exampleOf, examplesOf, expendableOf, type SchemaObject, schemaObject } from './schema.ts'

/** The parameters of an operation: its id, its query string, and its headers. */
export function parametersOf(scope: Scope, endpoint: Endpoint): readonly SchemaObject[] {
  const { operation } = endpoint
  const rules = queryRules(scope.registry, endpoint)
  return [
    ...(hasId(operation) ? [idParameter(scope, endpoint)] : []),
    ...[...parameters(rules).values()].map((taken) => queryParameter(scope, rules, taken)),
    headerParameter(scope, 'If-Match'),
    headerParameter(scope, 'If-None-Match'),
    ...(operation === 'create' ? repeatParameters(scope) : []),
  ]
}

/** The parameter `id` in the path. The example of a DELETE names a resource that the other examples do not need. */
function idParameter({ components }: Scope, { definition, operation }: Endpoint): SchemaObject {
  const { description, example = '1', ...schema } = idSchema(definition)
  const parameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: description ?? `The id of one of the ${definition.type}.`,
    schema: { ...schema, maxLength: maxIdLength },
  }
  const expendable = operation === 'delete' ? expendableOf(definition.id?.schema()) : undefined
  return expendable === undefined
    ? components.use('parameters', `${nameOf(definition)}Id`, () => ({ ...parameter, example }))
    : { ...parameter, example: expendable }
}

/** The header by which a request that creates something can be sent again. */
export function repeatParameters({ headers: { repeat }, components }: Scope): Reference[] {
  return Object.entries(repeat?.parameters ?? {}).map(([name, parameter]) =>
    components.use('parameters', name, () => parameter),
  )
}

/** A header that requests can have, by its name. */
function headerParameter({ components }: Scope, name: keyof typeof headerParameters): Reference {
  return components.use('parameters', name, () => ({
    name,
    in: 'header',
    ...headerParameters[name],
  }))
}

const headerParameters = {
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
} as const

/** A parameter of the query string. */
function queryParameter(
  { components }: Scope,
  { collection, paging }: QueryRules,
  { name, schema: make }: Parameter,
): SchemaObject {
  // The part before the brackets, or the whole name, and the part between the brackets.
  const [, family = name, key = ''] = /^(\w+)\[(.*)\]$/.exec(name) ?? []
  const { items: names, ...schema } = schemaObject(make(), 'output')
  const filter = family === 'filter' && collection ? filtersOf(collection)[key]?.() : undefined
  const items = filter ? schemaObject(filter, 'input') : (names as SchemaObject | undefined)
  const size = paging === 'none' ? undefined : paging.size
  const fallback = { 'page[limit]': size, 'page[offset]': 0 }[name]
  const example = exampleFor(family, filter, items) ?? fallback
  const described = {
    name,
    in: 'query',
    description: (texts[name] ?? texts[family] ?? '').replace('{type}', key),
    ...(items && { style: 'form', explode: false, allowEmptyValue: true }),
    schema: {
      ...schema,
      ...(items && { items: components.named(items, 'input') }),
      ...(fallback !== undefined && { default: fallback }),
    },
    ...(example !== undefined && { example }),
  }
  // These have the same meaning in most places, so that they are components. The others depend on the resource type.
  return family === 'fields' || family === 'page'
    ? components.shared('parameters', `${family}.${key}`, described)
    : described
}

/**
 * The example of a parameter. The examples of all parameters of an operation make one request that succeeds. A cursor has none,
 * because only the service can make one, and a list of fields has none, because it would hide other fields in the answer.
 */
function exampleFor(
  family: string,
  filter: Schema | undefined,
  item: SchemaObject | undefined,
): unknown {
  if (filter) {
    const examples = examplesOf(filter)
    return examples.length > 0 ? examples : [(item && exampleOf(item)) ?? '1']
  }
  return item && family !== 'fields' ? [exampleOf(item)] : undefined
}

/** The descriptions of parameters, by name or by the part before the brackets. */
const texts: Readonly<Record<string, string>> = {
  include:
    'Relationships whose related resources the answer holds in `included`. Dots lead to the relationships of related resources.',
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
