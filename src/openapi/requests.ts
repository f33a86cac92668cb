import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import { takesBody } from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Relationship, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { bodySchema, isWritable } from '../jsonapi/request/body.ts'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { exampleOf, examplesOf, type SchemaObject, schemaObject } from './schema.ts'
import { capitalized, nameOf, type Scope } from './schemas.ts'

/** The description of the body that an operation takes, with a valid example; undefined where it takes none. */
export function requestBody(scope: Scope, endpoint: Endpoint): SchemaObject | undefined {
  const { definition, operation, relationship = '' } = endpoint
  if (!takesBody(operation)) {
    return undefined
  }
  const related = definition.relationships[relationship]
  // Where members have meta, the body of a removal has a component of its own, because meta is optional there.
  const isRemoval = operation === 'removeMany' && related?.cardinality === 'many' && related.meta
  const name = related
    ? `${nameOf(definition)}${capitalized(relationship)}${isRemoval ? 'Removal' : 'Update'}`
    : `${nameOf(definition)}${capitalized(operation)}`
  const body = bodySchema(definition, operation, endpoint.relationship)
  const data = dataExample(scope.registry, endpoint)
  return {
    required: true,
    content: {
      [mediaType]: {
        schema: scope.components.use('schemas', name, () =>
          scope.components.named(schemaObject(body, 'input'), 'input'),
        ),
        example: { data },
      },
    },
  }
}

/**
 * An example of `data` in the body of an operation.
 *
 * @param nth which of the examples of each attribute to take, from 0. Examples that create resources take different ones, because
 *   some values belong to one resource only.
 */
export function dataExample(
  registry: Registry,
  { definition, operation, relationship = '' }: Endpoint,
  nth = 0,
): unknown {
  const related = definition.relationships[relationship]
  return related
    ? linkageExample(registry, related, operation !== 'removeMany')
    : resourceExample(registry, definition, operation === 'create', nth)
}

/** An example of an id of a type. */
export function idExample({ id }: ResourceDefinition): unknown {
  return (id && examplesOf(id.schema())[0]) ?? '1'
}

/** An example of the id of a related resource. It is the last example of its type, because the first one is the id in paths. */
function targetExample({ id }: ResourceDefinition): unknown {
  return (id && examplesOf(id.schema()).at(-1)) ?? '1'
}

/** An example of a resource object: a whole resource for a create, and one attribute of it for an update. */
function resourceExample(
  registry: Registry,
  definition: ResourceDefinition,
  isCreate: boolean,
  nth: number,
) {
  const { type, attributes, relationships } = definition
  const values = Object.entries(attributes)
    .map(([name, { schema }]) => {
      const example = examplesOf(schema())[nth] ?? exampleOf(schemaObject(schema(), 'input'))
      return [name, example] as const
    })
    .filter(([, example]) => example !== undefined)
  const linkage = Object.entries(relationships)
    .filter(([, one]) => isWritable(one))
    .map(([name, one]) => [name, { data: linkageExample(registry, one, true) }])
  return isCreate
    ? {
        type,
        attributes: Object.fromEntries(values),
        ...(linkage.length > 0 && { relationships: Object.fromEntries(linkage) }),
      }
    : { type, id: idExample(definition), attributes: Object.fromEntries(values.slice(0, 1)) }
}

function linkageExample(registry: Registry, relationship: Relationship, withMeta: boolean) {
  const target = registry.get(relationship.target)
  const said = relationship.cardinality === 'many' && withMeta ? relationship.meta : undefined
  const about = Object.entries(said ?? {}).map(([name, { schema }]) => [
    name,
    exampleOf(schemaObject(schema(), 'input')),
  ])
  const identifier = {
    type: target.type,
    id: targetExample(target),
    ...(said && { meta: Object.fromEntries(about) }),
  }
  return relationship.cardinality === 'one' ? identifier : [identifier]
}
