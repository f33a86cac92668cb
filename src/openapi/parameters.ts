import { type Endpoint, hasId } from '../jsonapi/declare/endpoint.ts'
import { isRead, takesKey } from '../jsonapi/declare/operation.ts'
import { filtersOf } from '../jsonapi/declare/readable.ts'
import type { Pagination, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { longestId } from '../jsonapi/request/body.ts'
import { idempotencyKeyHeader, longestKey } from '../jsonapi/request/idempotency-key.ts'
import { parameters, queryRules } from '../jsonapi/request/parameters.ts'
import type { Schema } from '../jsonapi/validate.ts'
import type { Reference } from './components.ts'
import { exampleOf, examplesOf, expendableIds, type SchemaObject, schemaObject } from './schema.ts'
import { idSchema, nameOf, type Scope } from './schemas.ts'

/** The parameters of an operation: its id, its query string, its conditions, and its `Idempotency-Key` if it takes one. */
export function parametersOf(scope: Scope, endpoint: Endpoint): readonly SchemaObject[] {
  const rules = queryRules(scope.registry, endpoint)
  const taken = parameters(rules)
  const query = [...taken.values()].map(({ name, schema }) => {
    const [, family = name, key = ''] = /^(\w+)\[(.*)\]$/.exec(name) ?? []
    const one = { name, family, key }
    const fallback = defaultOf(name, rules.paging)
    const object = {
      ...schemaObject(schema(), 'output'),
      ...(fallback !== undefined && { default: fallback }),
    }
    const described = queryParameter(scope, rules.collection, one, object)
    // These have the same meaning in most places, so that they are components. The others depend on the resource type.
    return family === 'fields' || family === 'page'
      ? scope.components.shared('parameters', `${family}.${key}`, described)
      : described
  })
  return [
    ...idParameter(scope, endpoint),
    ...query,
    ifMatch(scope),
    ...(isRead(endpoint.operation) ? [ifNoneMatch(scope)] : []),
    ...(takesKey(endpoint.operation) ? [idempotencyKey(scope)] : []),
  ]
}

/**
 * The parameter `id` in the path; none for a collection. A DELETE names resources that the other examples do not need: a different
 * one in each example, because each can be deleted once.
 */
function idParameter({ components }: Scope, endpoint: Endpoint): SchemaObject[] {
  const { definition, operation } = endpoint
  if (!hasId(endpoint)) {
    return []
  }
  const { description, example = '1', ...schema } = idSchema(definition)
  const parameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: description ?? `The id of one of the ${definition.type}.`,
    schema: { ...schema, maxLength: longestId },
  }
  const ids = operation === 'delete' ? expendableIds(definition.id?.schema()) : []
  return ids.length > 0
    ? [{ ...parameter, examples: Object.fromEntries(ids.map((value) => [value, { value }])) }]
    : [components.use('parameters', `${nameOf(definition)}Id`, () => ({ ...parameter, example }))]
}

/** The types of the resources that `include` can bring into the answer of an endpoint: the ends of all paths that it takes. */
export function includedTypes({ registry }: Scope, endpoint: Endpoint): readonly string[] {
  const rules = queryRules(registry, endpoint)
  const include = parameters(rules).get('include')
  const { items } = include ? schemaObject(include.schema(), 'output') : {}
  const { enum: paths = [] } = (items ?? {}) as { readonly enum?: readonly string[] }
  const step = (type: string, name: string) =>
    registry.get(type).relationships[name]?.target ?? type
  return [...new Set(paths.map((path) => path.split('.').reduce(step, rules.definition.type)))]
}

function ifMatch({ components }: Scope): Reference {
  return components.use('parameters', 'If-Match', () => ({
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier answer that shows the resource, in any view of it. Where the resource has changed since, nothing is done, and the answer is 412.',
    schema: { type: 'string' },
    example: '*',
  }))
}

function ifNoneMatch({ components }: Scope): Reference {
  return components.use('parameters', 'If-None-Match', () => ({
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier answer. Where that answer is still current, the answer is 304.',
    schema: { type: 'string' },
  }))
}

/** The parameter `Idempotency-Key` (contract, section 12). */
export function idempotencyKey({ components }: Scope): Reference {
  return components.use('parameters', idempotencyKeyHeader, () => ({
    name: idempotencyKeyHeader,
    in: 'header',
    description:
      'Makes the request safe to send again. When the same caller sends the same request with the same key again within 24 hours, nothing more is written, and the answer shows what the first request created. Another request with the key is a 409. Requests that fail are not remembered. The key may stand in double quotes. It has no example, because each new request needs a new one, such as a UUID.',
    // A key with a quote at its beginning is read as a string of a structured field, so that the pattern excludes it.
    schema: { type: 'string', maxLength: longestKey, pattern: '^[!#-~][!-~]*$' },
  }))
}

interface Name {
  readonly name: string
  /** The part before the brackets, or the whole name. */
  readonly family: string
  /** The part between the brackets. */
  readonly key: string
}

function queryParameter(
  { components }: Scope,
  definition: ResourceDefinition | undefined,
  { name, family, key }: Name,
  { items, ...schema }: SchemaObject,
): SchemaObject {
  const filter = family === 'filter' && definition ? filtersOf(definition)[key]?.() : undefined
  const item = filter ? schemaObject(filter, 'input') : (items as SchemaObject | undefined)
  const example = exampleFor(family, filter, item) ?? schema.default
  return {
    name,
    in: 'query',
    description: (texts[name] ?? texts[family] ?? '').replace('{type}', key),
    ...(item && { style: 'form', explode: false, allowEmptyValue: true }),
    schema: {
      ...schema,
      ...(item && { items: components.named(item, 'input') }),
    },
    ...(example !== undefined && { example }),
  }
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

/** The value of a parameter that is not sent; undefined where there is none. */
function defaultOf(name: string, paging: Pagination): number | undefined {
  if (name === 'page[limit]' && paging !== 'none') {
    return paging.size
  }
  return name === 'page[offset]' ? 0 : undefined
}

/** The descriptions of parameters, by name or by the part before the brackets. */
const texts: Readonly<Record<string, string>> = {
  include:
    'Relationships whose related resources the answer holds in `included`. Dots lead to the relationships of related resources.',
  fields:
    'The fields of `{type}` to return: attributes and relationships. Dots lead to members of objects. An empty value returns no fields.',
  filter:
    'Returns resources that have one of these values. Where several filters are sent, resources must pass all of them. An empty value matches nothing. Only callers who may read an attribute may filter by it.',
  sort: 'The keys of the order, the most significant one first. `-` before a name sorts in descending order. Letters compare without case and accents. Only callers who may read an attribute may sort by it.',
  'page[cursor]':
    'The cursor of the page: `pagination.nextCursor` of the page before. A cursor is valid only with the sort and the filters that it was made with.',
  'page[limit]': 'The most resources on a page.',
  'page[offset]':
    'The number of resources before the page. It must not be sent together with `page[cursor]`.',
}
