import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Attribute, Relationship, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { queryLimits } from '../jsonapi/request/parameters.ts'
import { linkageLimit } from '../jsonapi/run/plan.ts'
import { whom } from './access.ts'
import type { Components, Reference } from './components.ts'
import { object, oneOf, type SchemaObject, schemaObject } from './schema.ts'

/** What the parts of a description are made from and collected in. */
export interface Scope {
  readonly registry: Registry
  readonly components: Components
}

/** The name of a type as component names begin with it: `User`. */
export function nameOf({ type, singular = type }: ResourceDefinition): string {
  return capitalized(singular)
}

/** A name as a part of a longer one. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Ids of a type, as their schema describes them. */
export function idSchema({ id }: ResourceDefinition): SchemaObject {
  return id ? schemaObject(id.schema, 'output') : { type: 'string' }
}

/** `jsonapi` of every document (contract, section 8). */
export function jsonapiSchema({ components }: Scope): Reference {
  const uris = { type: 'array', items: { type: 'string', format: 'uri' } }
  return components.use('schemas', 'JsonApi', () => ({
    ...object({ version: { type: 'string', example: '1.1' }, ext: uris, profile: uris, meta }),
    description: 'The version of JSON:API that the document follows.',
  }))
}

/** Any members (JSON:API 1.1, "Meta Information"). */
export const meta: SchemaObject = { type: 'object', additionalProperties: true }

/** A resource object of a type. Of attributes and relationships none is certain: what a caller may not see is missing. */
export function resourceSchema(scope: Scope, definition: ResourceDefinition): Reference {
  const { type, description, attributes, relationships, operations } = definition
  return scope.components.use('schemas', nameOf(definition), () => {
    const shown = Object.entries(attributes).map(([name, one]) => [name, attributeSchema(one)])
    const related = Object.entries(relationships).map(([name, one]) => [
      name,
      relationshipSchema(scope, definition, name, one),
    ])
    const members = {
      type: oneOf([type]),
      id: idSchema(definition),
      lid: { type: 'string' },
      attributes: object(Object.fromEntries(shown)),
      ...(related.length > 0 && { relationships: object(Object.fromEntries(related)) }),
      ...(operations.get && { links: object({ self: link }, ['self']) }),
      meta,
    }
    const required = ['type', 'id', ...(operations.get ? ['links'] : [])]
    return { ...object(members, required), description }
  })
}

/** A resource identifier object, as a relationship of `definition` links to it. */
function identifierSchema(
  scope: Scope,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): Reference {
  const target = scope.registry.get(relationship.target)
  const said = relationship.cardinality === 'many' ? relationship.meta : undefined
  const about = Object.entries(said ?? {}).map(([member, { schema }]) => [
    member,
    schemaObject(schema, 'output'),
  ])
  const identifier = object(
    {
      type: oneOf([target.type]),
      id: idSchema(target),
      lid: { type: 'string' },
      meta: said ? object(Object.fromEntries(about), Object.keys(said)) : meta,
    },
    ['type', 'id', ...(said ? ['meta'] : [])],
  )
  const owner = nameOf(definition) + capitalized(name)
  return relationship.cardinality === 'one'
    ? scope.components.use('schemas', `${owner}Linkage`, () => ({ ...identifier, nullable: true }))
    : scope.components.use(
        'schemas',
        `${said ? owner : nameOf(target)}Identifier`,
        () => identifier,
      )
}

/** The document that an endpoint answers with (contract, section 8). */
export function documentSchema(
  scope: Scope,
  { definition, operation, relationship = '' }: Endpoint,
  { paging, included }: { readonly paging: string; readonly included: readonly string[] },
): Reference {
  const related = definition.relationships[relationship]
  const isList = operation === 'list'
  const item = related
    ? identifierSchema(scope, definition, relationship, related)
    : resourceSchema(scope, definition)
  const name =
    nameOf(definition) + (related ? capitalized(relationship) : '') + (isList ? 'List' : 'Document')
  return scope.components.use('schemas', name, () =>
    object(
      {
        jsonapi: jsonapiSchema(scope),
        links: paging === 'none' ? object({ self: link }, ['self']) : pageLinks(scope),
        data:
          isList || operation === 'readMany'
            ? {
                type: 'array',
                items: item,
                ...(pageSize(paging) && { maxItems: pageSize(paging) }),
              }
            : item,
        ...(included.length > 0 && { included: includedSchema(scope, included) }),
        meta: paging === 'none' ? meta : pageMeta(paging === 'offset'),
      },
      ['jsonapi', 'links', 'data'],
    ),
  )
}

const link: SchemaObject = { type: 'string', format: 'uri-reference' }

function attributeSchema({ schema, access, members = {} }: Attribute): SchemaObject {
  const { nullable: _, description, ...described } = schemaObject(schema, 'output')
  const shown = [
    ['Shown', access] as const,
    ...Object.entries(members).map(
      ([name, member]) => [`\`${name}\` is shown`, member.access] as const,
    ),
  ]
  const texts = shown.flatMap(([what, rule]) => (whom(rule) ? [`${what} to ${whom(rule)}.`] : []))
  return { ...described, description: [description, ...texts].filter(Boolean).join(' ') }
}

function relationshipSchema(
  scope: Scope,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): SchemaObject {
  const { description, access, cardinality } = relationship
  const shown = whom(access) && ` Linkage is shown to ${whom(access)}.`
  const item = identifierSchema(scope, definition, name, relationship)
  const isMany = cardinality === 'many'
  return {
    ...object(
      {
        links: object({ self: link, ...(isMany && { next: link }) }, ['self']),
        data: isMany ? { type: 'array', items: item, maxItems: linkageLimit } : item,
        meta,
      },
      ['links'],
    ),
    description: isMany
      ? `${description}${shown} The first ${linkageLimit}; \`links.next\` leads to more.`
      : description + shown,
  }
}

function includedSchema(scope: Scope, types: readonly string[]): SchemaObject {
  const all = types.map((type) => [type, resourceSchema(scope, scope.registry.get(type))] as const)
  const mapping = Object.fromEntries(all.map(([type, { $ref }]) => [type, $ref]))
  const [[, only] = [], ...others] = all
  return {
    type: 'array',
    description: 'The resources that `include` named, each once.',
    items:
      others.length === 0
        ? only
        : { oneOf: all.map(([, one]) => one), discriminator: { propertyName: 'type', mapping } },
  }
}

const linkNames = ['self', 'first', 'prev', 'next', 'last']

function pageLinks({ components }: Scope): Reference {
  const other = { ...link, nullable: true }
  return components.use('schemas', 'PageLinks', () => ({
    ...object({ self: link, first: link, prev: other, next: other, last: other }, linkNames),
    description: 'This page and others; null where there is none, or where a cursor cannot tell.',
  }))
}

function pageMeta(hasTotal: boolean): SchemaObject {
  return object({
    ...(hasTotal && {
      'pagination.totalItems': {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'How many there are in all; absent where `page[cursor]` was sent.',
      },
    }),
    'pagination.nextCursor': {
      type: 'string',
      description: '`page[cursor]` of the next page; absent on the last one.',
    },
  })
}

function pageSize(paging: string): number | undefined {
  return { cursor: queryLimits.page.default, offset: queryLimits.page.maximum }[paging]
}
