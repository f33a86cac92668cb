import { answersMany, isRelated } from '../jsonapi/declare/operation.ts'
import type { Endpoint } from '../jsonapi/declare/registry.ts'
import {
  type Attribute,
  isReadable,
  type Relationship,
  type ResourceDefinition,
} from '../jsonapi/declare/resource.ts'
import { includePaths, queryRules } from '../jsonapi/request/query-parameters.ts'
import { linkageLimit } from '../jsonapi/run/port.ts'
import { admitted } from './access.ts'
import type { Reference, Scope } from './components.ts'
import { capitalized, nameOf } from './operations.ts'
import { enumOf, mapped, object, type SchemaObject, schemaObject } from './schema.ts'

/** The document that an endpoint answers with. The answer to a create has the form of an answer to a read. */
export function documentSchema(scope: Scope, endpoint: Endpoint): Reference {
  const { definition, operation, relationship = '', subject } = endpoint
  const { registry, components } = scope
  const { paging } = queryRules(registry, endpoint)
  const included = includedTypes(
    scope,
    operation === 'create' ? { ...endpoint, operation: 'get' } : endpoint,
  )
  const max = paging === 'none' ? undefined : (paging.max ?? paging.size)
  const related = definition.relationships[relationship]
  const isLinkage = related !== undefined && !isRelated(operation)
  const item = isLinkage
    ? identifierSchema(scope, definition, relationship, related)
    : operation === 'relatedOne'
      ? resourceOrNull(scope, subject)
      : resourceSchema(scope, subject)
  const isMany = answersMany(operation)
  const kind = isLinkage || !(isMany || related) ? 'Document' : isMany ? 'List' : 'Item'
  const others = isLinkage && isReadable(related) ? ['related'] : []
  return components.use('schemas', nameOf(definition) + capitalized(relationship) + kind, () =>
    object(
      {
        jsonapi: jsonapiSchema(scope),
        links: paging === 'none' ? linksOf(['self', ...others]) : pageLinks(scope, others),
        data: isMany ? { type: 'array', items: item, ...(max && { maxItems: max }) } : item,
        ...(included.length > 0 && { included: includedSchema(scope, included) }),
        meta: paging === 'none' ? meta : pageMeta(paging.by === 'offset'),
      },
      ['jsonapi', 'links', 'data'],
    ),
  )
}

/** The types of the resources that `include` can bring into the answer of an endpoint: the ends of all paths that it allows. */
function includedTypes({ registry }: Scope, endpoint: Endpoint): readonly string[] {
  const rules = queryRules(registry, endpoint)
  const step = (type: string, name: string) =>
    registry.get(type).relationships[name]?.target ?? type
  const paths = rules.include ? includePaths(rules) : []
  return [...new Set(paths.map((path) => path.split('.').reduce(step, rules.definition.type)))]
}

function includedSchema(scope: Scope, types: readonly string[]): SchemaObject {
  const all = types.map((type) => [type, resourceSchema(scope, scope.registry.get(type))] as const)
  const mapping = Object.fromEntries(all.map(([type, { $ref }]) => [type, $ref]))
  const [[, only] = [], ...others] = all
  return {
    type: 'array',
    description: 'The resources that `include` names, each of them once.',
    items:
      others.length === 0
        ? only
        : { oneOf: all.map(([, one]) => one), discriminator: { propertyName: 'type', mapping } },
  }
}

/** The schema of the links of a page and of the other links of its document. */
function pageLinks({ components }: Scope, others: readonly string[]): Reference {
  const name = others.length > 0 ? 'RelationshipPageLinks' : 'PageLinks'
  const always = ['self', ...others, 'first']
  const nullable = ['prev', 'next', 'last']
  return components.use('schemas', name, () => ({
    ...object(
      Object.fromEntries([
        ...always.map((one) => [one, link]),
        ...nullable.map((one) => [one, { ...link, nullable: true }]),
      ]),
      [...always, ...nullable],
    ),
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
export function jsonapiSchema({ components }: Scope): Reference {
  const uris = { type: 'array', items: { type: 'string', format: 'uri' } }
  return components.use('schemas', 'JsonApi', () => ({
    ...object({ version: { type: 'string', example: '1.1' }, ext: uris, profile: uris, meta }),
    description: 'The version of JSON:API that the document follows.',
  }))
}

/** The schema of an object with any members (JSON:API 1.1, "Meta Information"). */
export const meta: SchemaObject = { type: 'object', additionalProperties: true }

/** The schema of a link: a path from the root of the host. */
const link: SchemaObject = { type: 'string', format: 'uri-reference' }

/** The schema of links, some of which are always there. */
function linksOf(certain: readonly string[], possible: readonly string[] = []): SchemaObject {
  return object(Object.fromEntries([...certain, ...possible].map((name) => [name, link])), certain)
}

/** The description of the ids of a type. */
export function idSchema({ id }: ResourceDefinition): SchemaObject {
  return id ? schemaObject(id.schema(), 'output') : { type: 'string' }
}

/** The schema of a resource object of a type. No attribute or relationship is required, because callers may not see all of them. */
export function resourceSchema(scope: Scope, definition: ResourceDefinition): Reference {
  return scope.components.use('schemas', nameOf(definition), () =>
    resourceObject(scope, definition),
  )
}

/** The schema of a resource object or null: a component of its own, because a reference cannot be nullable. */
function resourceOrNull(scope: Scope, definition: ResourceDefinition): Reference {
  return scope.components.use('schemas', `${nameOf(definition)}OrNull`, () => ({
    ...resourceObject(scope, definition),
    nullable: true,
  }))
}

function resourceObject(scope: Scope, definition: ResourceDefinition): SchemaObject {
  const { type, description, attributes, relationships, operations } = definition
  const related = mapped(relationships, (one, name) =>
    relationshipSchema(scope, definition, name, one),
  )
  const members = {
    type: enumOf([type]),
    id: idSchema(definition),
    attributes: object(mapped(attributes, (one) => attributeSchema(scope, one))),
    ...(Object.keys(related).length > 0 && { relationships: object(related) }),
    ...(operations.get && { links: linksOf(['self']) }),
    meta,
  }
  const required = ['type', 'id', ...(operations.get ? ['links'] : [])]
  return { ...object(members, required), description }
}

function attributeSchema(
  { components }: Scope,
  { schema, access, members = {} }: Attribute,
): SchemaObject {
  const { nullable: _, ...shown } = schemaObject(schema(), 'output')
  const { description, ...described } = components.named(shown, 'output')
  const rules = Object.entries(members).map(
    ([name, member]) => [`\`${name}\` is shown`, member.access] as const,
  )
  const texts = [['Shown', access] as const, ...rules].map(
    ([what, rule]) => admitted(rule) && `${what} to ${admitted(rule)}.`,
  )
  const text = [description, ...texts].filter(Boolean).join(' ')
  // Members beside a reference are ignored (OpenAPI 3.0.1, "Reference Object").
  if ('$ref' in described) {
    return text === '' ? described : { allOf: [described], description: text }
  }
  return { ...described, description: text }
}

function relationshipSchema(
  scope: Scope,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): SchemaObject {
  const { description, access, cardinality } = relationship
  const shown = admitted(access) && ` Linkage is shown to ${admitted(access)}.`
  const item = identifierSchema(scope, definition, name, relationship)
  const isMany = cardinality === 'many'
  const links = isReadable(relationship) ? ['self', 'related'] : ['self']
  const data = isMany ? { type: 'array', items: item, maxItems: linkageLimit } : item
  return {
    ...object({ links: linksOf(links, isMany ? ['next'] : []), data, meta }, ['links']),
    description: isMany
      ? `${description}${shown} The first ${linkageLimit} members are shown; \`links.next\` leads to more.`
      : description + shown,
  }
}

/** The schema of a resource identifier object in a relationship of `definition`. */
function identifierSchema(
  { registry, components }: Scope,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): Reference {
  const target = registry.get(relationship.target)
  const said = relationship.cardinality === 'many' ? relationship.meta : undefined
  const about = mapped(said ?? {}, ({ schema }) =>
    components.named(schemaObject(schema(), 'output'), 'output'),
  )
  const identifier = object(
    {
      type: enumOf([target.type]),
      id: idSchema(target),
      meta: said ? object(about, Object.keys(about)) : meta,
    },
    ['type', 'id', ...(said ? ['meta'] : [])],
  )
  const owner = nameOf(definition) + capitalized(name)
  return relationship.cardinality === 'one'
    ? components.use('schemas', `${owner}Identifier`, () => ({ ...identifier, nullable: true }))
    : components.use('schemas', `${said ? owner : nameOf(target)}Identifier`, () => identifier)
}
