import { isRelated, type OperationShape, operations } from '../jsonapi/declare/operation.ts'
import type { Endpoint } from '../jsonapi/declare/registry.ts'
import {
  type Attribute,
  identifierMeta,
  isReadable,
  type Relationship,
  type ResourceDefinition,
} from '../jsonapi/declare/resource.ts'
import { includePaths, type QueryRules, queryRules } from '../jsonapi/request/query-parameters.ts'
import { linkageLimit } from '../jsonapi/run/port.ts'
import { callersOf } from './access.ts'
import { capitalize, type Draft, typeName } from './components.ts'
import { mapRecord, object, type SchemaObject, schemaObject } from './json-schema.ts'

/** The document that an endpoint answers with. The answer to a create has the form of an answer to a read. */
export function documentSchema(draft: Draft, endpoint: Endpoint): SchemaObject {
  const { definition, relationship, declared, subject } = endpoint
  const operation = endpoint.operation === 'create' ? 'get' : endpoint.operation
  const rules = queryRules(draft.registry, { ...endpoint, operation } as Endpoint)
  const { paging } = rules
  const isLinkage = declared !== undefined && !isRelated(operation)
  const item = isLinkage
    ? identifierSchema(draft, definition, relationship, declared)
    : resourceSchema(draft, subject, operation === 'relatedOne')
  const { many: isMany }: OperationShape = operations[operation]
  const kind = isLinkage || operation === 'get' ? 'Document' : isMany ? 'List' : 'Item'
  const others = isLinkage && isReadable(declared) ? ['related'] : []
  const maxItems = paging === 'none' ? undefined : (paging.max ?? paging.size)
  return draft.use(
    'schemas',
    [typeName(definition), relationship && capitalize(relationship), kind].join(''),
    () =>
      object(
        {
          jsonapi: jsonapiSchema(draft),
          links: paging === 'none' ? linksSchema(['self', ...others]) : pageLinks(draft, others),
          data: isMany ? { type: 'array', items: item, ...(maxItems && { maxItems }) } : item,
          ...(rules.include && { included: includedSchema(draft, rules) }),
          meta: paging === 'none' ? meta : pageMeta(paging.by === 'offset'),
        },
        ['jsonapi', 'links', 'data'],
      ),
  )
}

/** The schema of the resources at the ends of all include paths. */
function includedSchema(draft: Draft, rules: QueryRules): SchemaObject {
  const { registry } = draft
  const step = (type: string, name: string) =>
    registry.get(type).relationships[name]?.target ?? type
  const ends = includePaths(rules).map((path) =>
    path.split('.').reduce(step, rules.definition.type),
  )
  const schemas = [...new Set(ends)].map(
    (type) => [type, resourceSchema(draft, registry.get(type))] as const,
  )
  const mapping = Object.fromEntries(schemas.map(([type, { $ref }]) => [type, $ref]))
  const [first = {}, ...others] = schemas.map(([, schema]) => schema)
  const discriminator = { propertyName: 'type', mapping }
  return {
    type: 'array',
    description: 'The resources that `include` names, each of them once.',
    items: others.length > 0 ? { oneOf: [first, ...others], discriminator } : first,
  }
}

/** The schema of the links of a page and of the other links of its document. */
function pageLinks(draft: Draft, others: readonly string[]): SchemaObject {
  return draft.use('schemas', others.length > 0 ? 'RelationshipPageLinks' : 'PageLinks', () => ({
    ...linksSchema(['self', ...others, 'first'], [], ['prev', 'next', 'last']),
    description:
      'Links to this page and others. A link is null where there is no such page, or where a cursor does not know it.',
  }))
}

/** The schema of the meta of a page: its members in an object, and the same under flat names. */
function pageMeta(hasTotal: boolean): SchemaObject {
  const members = {
    ...(hasTotal && {
      totalItems: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'The number of resources on all pages. Absent where `page[cursor]` was sent.',
      },
    }),
    nextCursor: {
      type: 'string',
      description: 'The value of `page[cursor]` for the next page. Absent on the last page.',
    },
  }
  const flat = Object.entries(members).map(([name, schema]) => [`pagination.${name}`, schema])
  return object({ pagination: object(members), ...Object.fromEntries(flat) })
}

/** The schema of `jsonapi` of every document. */
export function jsonapiSchema(draft: Draft): SchemaObject {
  const uris = { type: 'array', items: { type: 'string', format: 'uri' } }
  return draft.use('schemas', 'JsonApi', () => ({
    ...object({ version: { type: 'string', example: '1.1' }, ext: uris, profile: uris, meta }),
    description: 'The version of JSON:API that the document follows.',
  }))
}

/** The schema of an object with any members (JSON:API 1.1, "Meta Information"). */
export const meta: SchemaObject = { type: 'object', additionalProperties: true }

/** The schema of links, each of which is a path from the root of the host: those that are always there, can be there, or can be null. */
function linksSchema(
  certain: readonly string[],
  possible: readonly string[] = [],
  nullable: readonly string[] = [],
): SchemaObject {
  const link = { type: 'string', format: 'uri-reference' }
  return object(
    Object.fromEntries([
      ...[...certain, ...possible].map((name) => [name, link]),
      ...nullable.map((name) => [name, { ...link, nullable: true }]),
    ]),
    [...certain, ...nullable],
  )
}

/** The description of the ids of a type. */
export function idSchema({ id }: ResourceDefinition): SchemaObject {
  return id ? schemaObject(id.schema(), 'output') : { type: 'string' }
}

/**
 * The schema of a resource object of a type. No attribute or relationship is required, because callers may not see all of them.
 * With null it is a component of its own, because a reference cannot be nullable.
 */
export function resourceSchema(draft: Draft, definition: ResourceDefinition, nullable = false) {
  const { type, description, attributes, relationships, operations } = definition
  return draft.use('schemas', typeName(definition) + (nullable ? 'OrNull' : ''), () => {
    const related = mapRecord(relationships, (one, name) =>
      relationshipSchema(draft, definition, name, one),
    )
    const members = {
      type: { type: 'string', enum: [type] },
      id: idSchema(definition),
      attributes: object(mapRecord(attributes, (one) => attributeSchema(draft, one))),
      ...(Object.keys(related).length > 0 && { relationships: object(related) }),
      ...(operations.get && { links: linksSchema(['self']) }),
      meta,
    }
    const required = ['type', 'id', ...(operations.get ? ['links'] : [])]
    return { ...object(members, required), description, ...(nullable && { nullable }) }
  })
}

function attributeSchema(draft: Draft, attribute: Attribute): SchemaObject {
  const { schema, access, members = {}, readOnly } = attribute
  const { nullable: _, ...shown } = schemaObject(schema(), 'output')
  const { description, ...described } = draft.extract(shown, 'output')
  const rules = Object.entries(members).map(
    ([name, member]) => [`\`${name}\` is shown`, member.access] as const,
  )
  const texts = [['Shown', access] as const, ...rules].map(
    ([what, rule]) => callersOf(rule) && `${what} to ${callersOf(rule)}.`,
  )
  const text = [description, ...texts].filter(Boolean).join(' ')
  // Members beside a reference are ignored (OpenAPI 3.0.1, "Reference Object").
  if ('$ref' in described) {
    return text === '' ? described : { allOf: [described], description: text }
  }
  return { ...described, description: text, ...(readOnly && { readOnly }) }
}

function relationshipSchema(
  draft: Draft,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): SchemaObject {
  const { description, access, cardinality } = relationship
  const shown = callersOf(access) && ` Linkage is shown to ${callersOf(access)}.`
  const item = identifierSchema(draft, definition, name, relationship)
  const isMany = cardinality === 'many'
  const links = isReadable(relationship) ? ['self', 'related'] : ['self']
  const data = isMany ? { type: 'array', items: item, maxItems: linkageLimit } : item
  return {
    ...object({ links: linksSchema(links, isMany ? ['next'] : []), data, meta }, ['links']),
    description: isMany
      ? `${description}${shown} The first ${linkageLimit} members are shown; \`links.next\` leads to more.`
      : description + shown,
  }
}

/** The schema of a resource identifier object in a relationship of `definition`. */
function identifierSchema(
  draft: Draft,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): SchemaObject {
  const target = draft.registry.get(relationship.target)
  const members = mapRecord(identifierMeta(relationship) ?? {}, ({ schema }) =>
    draft.extract(schemaObject(schema(), 'output'), 'output'),
  )
  const required = Object.keys(members)
  const hasMeta = required.length > 0
  const nullable = relationship.cardinality === 'one'
  const owner = hasMeta || nullable ? typeName(definition) + capitalize(name) : typeName(target)
  const identifier = {
    type: { type: 'string', enum: [target.type] },
    id: idSchema(target),
    meta: hasMeta ? object(members, required) : meta,
  }
  return draft.use('schemas', `${owner}Identifier`, () => ({
    ...object(identifier, hasMeta ? ['type', 'id', 'meta'] : ['type', 'id']),
    ...(nullable && { nullable }),
  }))
}
