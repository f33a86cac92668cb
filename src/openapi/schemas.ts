import type { Registry } from '../jsonapi/declare/registry.ts'
import {
  type Attribute,
  isReadable,
  type Relationship,
  type ResourceDefinition,
} from '../jsonapi/declare/resource.ts'
import { linkageLimit } from '../jsonapi/run/plan.ts'
import { whom } from './access.ts'
import type { Components, Reference } from './components.ts'
import type { Examples } from './examples.ts'
import { object, oneOf, type SchemaObject, schemaObject } from './schema.ts'

/** What the parts of a description are made from, and the components that collect them. */
export interface Scope {
  readonly registry: Registry
  readonly components: Components
  readonly examples: Examples | undefined
}

/** The name of a type at the beginning of component names: `User`. */
export function nameOf({ type, singular = type }: ResourceDefinition): string {
  return capitalized(singular)
}

/** A name with a capital at its beginning, as a part of a longer name. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The description of the ids of a type. */
export function idSchema({ id }: ResourceDefinition): SchemaObject {
  return id ? schemaObject(id.schema(), 'output') : { type: 'string' }
}

/** The schema of `jsonapi` of every document (contract, section 8). */
export function jsonapiSchema({ components }: Scope): Reference {
  const uris = { type: 'array', items: { type: 'string', format: 'uri' } }
  return components.use('schemas', 'JsonApi', () => ({
    ...object({ version: { type: 'string', example: '1.1' }, ext: uris, profile: uris, meta }),
    description: 'The version of JSON:API that the document follows.',
  }))
}

/** The schema of an object with any members (JSON:API 1.1, "Meta Information"). */
export const meta: SchemaObject = { type: 'object', additionalProperties: true }

/** The schema of a resource object of a type. No attribute or relationship is required, because callers may not see all of them. */
export function resourceSchema(scope: Scope, definition: ResourceDefinition): Reference {
  return scope.components.use('schemas', nameOf(definition), () =>
    resourceObject(scope, definition),
  )
}

/** The schema of a resource object or null. It is no reference, because a reference cannot be nullable. */
export function resourceOrNull(scope: Scope, definition: ResourceDefinition): Reference {
  return scope.components.use('schemas', `${nameOf(definition)}OrNull`, () => ({
    ...resourceObject(scope, definition),
    nullable: true,
  }))
}

function resourceObject(scope: Scope, definition: ResourceDefinition): SchemaObject {
  const { type, description, attributes, relationships, operations } = definition
  const shown = Object.entries(attributes).map(([name, one]) => [name, attributeSchema(scope, one)])
  const related = Object.entries(relationships).map(([name, one]) => [
    name,
    relationshipSchema(scope, definition, name, one),
  ])
  const members = {
    type: oneOf([type]),
    id: idSchema(definition),
    attributes: object(Object.fromEntries(shown)),
    ...(related.length > 0 && { relationships: object(Object.fromEntries(related)) }),
    ...(operations.get && { links: object({ self: link }, ['self']) }),
    meta,
  }
  const required = ['type', 'id', ...(operations.get ? ['links'] : [])]
  return { ...object(members, required), description }
}

/** The schema of a resource identifier object in a relationship of `definition`. */
export function identifierSchema(
  scope: Scope,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): Reference {
  const target = scope.registry.get(relationship.target)
  const said = relationship.cardinality === 'many' ? relationship.meta : undefined
  const about = Object.entries(said ?? {}).map(([member, { schema }]) => [
    member,
    scope.components.named(schemaObject(schema(), 'output'), 'output'),
  ])
  const identifier = object(
    {
      type: oneOf([target.type]),
      id: idSchema(target),
      meta: said ? object(Object.fromEntries(about), Object.keys(said)) : meta,
    },
    ['type', 'id', ...(said ? ['meta'] : [])],
  )
  const owner = nameOf(definition) + capitalized(name)
  return relationship.cardinality === 'one'
    ? scope.components.use('schemas', `${owner}Identifier`, () => ({
        ...identifier,
        nullable: true,
      }))
    : scope.components.use(
        'schemas',
        `${said ? owner : nameOf(target)}Identifier`,
        () => identifier,
      )
}

/** The schema of a link: a path from the root of the host (contract, section 7). */
export const link: SchemaObject = { type: 'string', format: 'uri-reference' }

function attributeSchema(
  { components }: Scope,
  { schema, access, members = {} }: Attribute,
): SchemaObject {
  const { nullable: _, ...shownSchema } = schemaObject(schema(), 'output')
  const { description, ...described } = components.named(shownSchema, 'output')
  const shown = [
    ['Shown', access] as const,
    ...Object.entries(members).map(
      ([name, member]) => [`\`${name}\` is shown`, member.access] as const,
    ),
  ]
  const texts = shown.flatMap(([what, rule]) => (whom(rule) ? [`${what} to ${whom(rule)}.`] : []))
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
  const shown = whom(access) && ` Linkage is shown to ${whom(access)}.`
  const item = identifierSchema(scope, definition, name, relationship)
  const isMany = cardinality === 'many'
  return {
    ...object(
      {
        links: linksOf(
          isReadable(relationship) ? ['self', 'related'] : ['self'],
          isMany ? ['next'] : [],
        ),
        data: isMany ? { type: 'array', items: item, maxItems: linkageLimit } : item,
        meta,
      },
      ['links'],
    ),
    description: isMany
      ? `${description}${shown} The first ${linkageLimit} members are shown; \`links.next\` leads to more.`
      : description + shown,
  }
}

/** The schema of links, some of which are always there. */
export function linksOf(
  certain: readonly string[],
  possible: readonly string[] = [],
): SchemaObject {
  return object(Object.fromEntries([...certain, ...possible].map((name) => [name, link])), certain)
}
