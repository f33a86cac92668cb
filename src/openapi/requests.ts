import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import { takesBody } from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Relationship, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import {
  isWritable,
  type LinkageWrite,
  linkageBody,
  type ResourceWrite,
  resourceBody,
} from '../jsonapi/request/body.ts'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { exampleOf, type SchemaObject, schemaObject } from './schema.ts'
import { capitalized, nameOf, type Scope } from './schemas.ts'

/** The body that an operation takes, with an example that it accepts; undefined where it takes none. */
export function requestBody(scope: Scope, endpoint: Endpoint): SchemaObject | undefined {
  const { definition, operation, relationship = '' } = endpoint
  if (!takesBody(operation)) {
    return undefined
  }
  const related = definition.relationships[relationship]
  const removal = operation === 'removeMany' ? 'Removal' : ''
  const name = related
    ? `${nameOf(definition)}${capitalized(relationship)}${removal}Request`
    : `${nameOf(definition)}${capitalized(operation)}Request`
  const body = related
    ? linkageBody(related, operation as LinkageWrite)
    : resourceBody(definition, operation as ResourceWrite)
  const data = dataExample(scope.registry, endpoint)
  return {
    required: true,
    content: {
      [mediaType]: {
        schema: scope.components.use('schemas', name, () => schemaObject(body, 'input')),
        example: { data },
      },
    },
  }
}

/** `data` that the body of an operation may have. */
export function dataExample(
  registry: Registry,
  { definition, operation, relationship = '' }: Endpoint,
): unknown {
  const related = definition.relationships[relationship]
  return related
    ? linkageExample(registry, related, operation !== 'removeMany')
    : resourceExample(registry, definition, operation === 'create')
}

/** An id of a type, as its filter gives one. */
export function idExample({ id }: ResourceDefinition): unknown {
  return (id && exampleOf(schemaObject(id.schema, 'output'))) ?? '1'
}

/** A whole resource for a create; for an update one attribute of it, since the rest stays as it is. */
function resourceExample(registry: Registry, definition: ResourceDefinition, isCreate: boolean) {
  const { type, attributes, relationships } = definition
  const values = Object.entries(attributes)
    .map(([name, { schema }]) => [name, exampleOf(schemaObject(schema, 'input'))] as const)
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
    exampleOf(schemaObject(schema, 'input')),
  ])
  const identifier = {
    type: target.type,
    id: idExample(target),
    ...(said && { meta: Object.fromEntries(about) }),
  }
  return relationship.cardinality === 'one' ? identifier : [identifier]
}
