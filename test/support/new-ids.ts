import type { ResourceDefinition } from '../../src/jsonapi/declare/resource.ts'

/** A type whose new resources get other ids. */
export function withNewIds<Definition extends ResourceDefinition>(
  definition: Definition,
  newId: () => string,
): Definition {
  const { operations } = definition
  const { create = { access: [{}] } } = operations
  return { ...definition, operations: { ...operations, create: { ...create, newId } } }
}
