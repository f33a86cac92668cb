import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import { isRead, operations, takesKey } from '../jsonapi/declare/operation.ts'
import { filtersOf } from '../jsonapi/declare/readable.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { longestId } from '../jsonapi/request/body.ts'
import { idempotencyKeyHeader, longestKey } from '../jsonapi/request/idempotency-key.ts'
import { parameters, queryLimits, queryRules } from '../jsonapi/request/parameters.ts'
import type { Schema } from '../jsonapi/validate.ts'
import type { Reference } from './components.ts'
import { exampleOf, examplesOf, type SchemaObject, schemaObject } from './schema.ts'
import { idSchema, nameOf, type Scope } from './schemas.ts'

/** What an operation takes beside the id: its query string, its conditions, and a key where it is done once for one. */
export function parametersOf(scope: Scope, endpoint: Endpoint): readonly SchemaObject[] {
  const rules = queryRules(scope.registry, endpoint)
  const taken = parameters(rules)
  const query = Object.entries(taken).map(([name, schema]) => {
    const [, family = name, key = ''] = /^(\w+)\[(.*)\]$/.exec(name) ?? []
    const one = { name, family, key }
    const described = queryParameter(scope, rules.collection, one, schemaObject(schema, 'output'))
    // These mean the same everywhere; the others depend on the resource type.
    return family === 'fields' || family === 'page'
      ? scope.components.use('parameters', `${family}.${key}`, () => described)
      : described
  })
  return [
    ...query,
    ifMatch(scope),
    ...(isRead(endpoint.operation) ? [ifNoneMatch(scope)] : []),
    ...(takesKey(endpoint.operation) ? [idempotencyKey(scope)] : []),
  ]
}

/** The `id` in the path; nothing on a collection. */
export function idParameter(scope: Scope, { definition, operation }: Endpoint): Reference[] {
  return operations[operation].on === 'collection'
    ? []
    : [
        scope.components.use('parameters', `${nameOf(definition)}Id`, () => {
          const { description, example, ...schema } = idSchema(definition)
          return {
            name: 'id',
            in: 'path',
            required: true,
            description: description ?? `Names one of the ${definition.type}.`,
            schema: { ...schema, maxLength: longestId },
            example: example ?? '1',
          }
        }),
      ]
}

/** The types that `include` can bring into the answer of an endpoint: the ends of every path that it takes. */
export function includedTypes({ registry }: Scope, endpoint: Endpoint): readonly string[] {
  const rules = queryRules(registry, endpoint)
  const { include } = parameters(rules)
  const { items } = include ? schemaObject(include, 'output') : {}
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
      'The `ETag` of an earlier answer about the resource, of any view of it: nothing is done, and the answer is 412, where the resource has changed since.',
    schema: { type: 'string' },
    example: '*',
  }))
}

function ifNoneMatch({ components }: Scope): Reference {
  return components.use('parameters', 'If-None-Match', () => ({
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: 304 where it still holds.',
    schema: { type: 'string' },
  }))
}

/** The key of a request that is done once, however often it is sent (contract, section 12). */
export function idempotencyKey({ components }: Scope): Reference {
  return components.use('parameters', idempotencyKeyHeader, () => ({
    name: idempotencyKeyHeader,
    in: 'header',
    description:
      'Makes the request safe to send again: the same request with the same key, by the same caller within 24 hours, writes nothing more and is answered with what is there. Another request with the key is a 409. Only what succeeds is remembered. The key may stand in double quotes.',
    // A quote at the beginning would be that of a structured field.
    schema: { type: 'string', maxLength: longestKey, pattern: '^[!#-~][!-~]*$' },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  }))
}

interface Name {
  readonly name: string
  /** What stands before the brackets, or the name itself. */
  readonly family: string
  /** What stands between them. */
  readonly key: string
}

function queryParameter(
  { components }: Scope,
  definition: ResourceDefinition | undefined,
  { name, family, key }: Name,
  { items, ...schema }: SchemaObject,
): SchemaObject {
  const filter = family === 'filter' && definition ? filtersOf(definition)[key] : undefined
  const item = filter ? schemaObject(filter, 'output') : (items as SchemaObject | undefined)
  const fallback = defaults[name]
  const example = exampleFor(family, filter, item) ?? fallback
  return {
    name,
    in: 'query',
    description: (texts[name] ?? texts[family] ?? '').replace('{type}', key),
    ...(item && { style: 'form', explode: false, allowEmptyValue: true }),
    schema: {
      ...schema,
      ...(item && { items: components.named(item, 'output') }),
      ...(fallback !== undefined && { default: fallback }),
    },
    ...(example !== undefined && { example }),
  }
}

/**
 * The examples of all parameters of an operation make one request that succeeds. So a cursor, which only the service can make,
 * has none, and a list of fields neither, since it would hide what the answer can show.
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

const defaults: Readonly<Record<string, number>> = {
  'page[limit]': queryLimits.page.default,
  'page[offset]': 0,
}

/** What parameters mean, by name or by what stands before the brackets. */
const texts: Readonly<Record<string, string>> = {
  include:
    'Relationships whose resources come along in `included`; with dots, the relationships of those.',
  fields:
    'The fields of `{type}` that are returned, attributes and relationships alike; with dots, members of objects. An empty value returns none.',
  filter:
    'Returns what has one of these values; several filters must all be met. An empty value matches nothing. Filtering by an attribute takes the right to read it.',
  sort: 'The order, the weightiest key first; `-` before a name descends. Letters compare without case and accents. Sorting by an attribute takes the right to read it.',
  'page[cursor]':
    'Where the page begins: `pagination.nextCursor` of the page before. A cursor is good for the sort and the filters that it was made with.',
  'page[limit]': 'How many a page holds.',
  'page[offset]': 'How many come before the page. Not to be sent beside `page[cursor]`.',
}
