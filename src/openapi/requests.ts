import { acceptsBody } from '../jsonapi/declare/operation.ts'
import type { Endpoint, Registry } from '../jsonapi/declare/registry.ts'
import type { Relationship, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { mediaType } from '../jsonapi/json.ts'
import { bodySchema, isWritable } from '../jsonapi/request/body.ts'
import type { Scope } from './components.ts'
import { capitalized, nameOf } from './operations.ts'
import { exampleOf, examplesOf, mapped, type SchemaObject, schemaObject } from './schema.ts'

/** The description of the body of an operation, with a valid example; undefined where it has none. */
export function requestBody(scope: Scope, endpoint: Endpoint): SchemaObject | undefined {
  const { definition, operation, relationship = '' } = endpoint
  if (!acceptsBody(operation)) {
    return undefined
  }
  const related = definition.relationships[relationship]
  // Where members have meta, the body of a removal has a component of its own, because meta is optional there.
  const isRemoval = operation === 'removeMany' && related?.cardinality === 'many' && related.meta
  const what = related
    ? capitalized(relationship) + (isRemoval ? 'Removal' : 'Update')
    : capitalized(operation)
  const body = bodySchema(definition, operation, endpoint.relationship)
  const schema = scope.components.use('schemas', nameOf(definition) + what, () =>
    scope.components.named(schemaObject(body, 'input'), 'input'),
  )
  const example = { data: dataExample(scope.registry, endpoint) }
  return { required: true, content: { [mediaType]: { schema, example } } }
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

/** An example of an id of a type: the first one, which is the id in paths, or the last one, which identifies related resources. */
function idExample({ id }: ResourceDefinition, nth: 0 | -1 = 0): unknown {
  return examplesOf(id?.schema()).at(nth) ?? '1'
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
  if (!isCreate) {
    return { type, id: idExample(definition), attributes: Object.fromEntries(values.slice(0, 1)) }
  }
  const linkage = Object.entries(relationships)
    .filter(([, one]) => isWritable(one))
    .map(([name, one]) => [name, { data: linkageExample(registry, one, true) }])
  return {
    type,
    attributes: Object.fromEntries(values),
    ...(linkage.length > 0 && { relationships: Object.fromEntries(linkage) }),
  }
}

function linkageExample(registry: Registry, relationship: Relationship, withMeta: boolean) {
  const target = registry.get(relationship.target)
  const said = relationship.cardinality === 'many' && withMeta ? relationship.meta : undefined
  const identifier = {
    type: target.type,
    id: idExample(target, -1),
    ...(said && {
      meta: mapped(said, ({ schema }) => exampleOf(schemaObject(schema(), 'input'))),
    }),
  }
  return relationship.cardinality === 'one' ? identifier : [identifier]
}
