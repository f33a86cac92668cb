import { isEnumeration } from '../validate.ts'
import { filtersOf, sortsOf } from './readable.ts'
import type { Registry } from './registry.ts'
import type { ResourceDefinition } from './resource.ts'

/**
 * Checks that the engine can serve all types of a registry. The build of the Worker does it, so that no isolate has to.
 *
 * @throws Error when a type declares something that cannot be served; the message says why and what to change
 */
export function checkDeclarations(registry: Registry): void {
  for (const type of registry.types) {
    refuseUnserved(registry.get(type), registry.types)
  }
}

function refuseUnserved(definition: ResourceDefinition, types: readonly string[]): void {
  const { type, attributes, relationships, operations, newId } = definition
  const demand = (holds: boolean, problem: string): void => {
    if (!holds) {
      throw new Error(problem)
    }
  }
  demand(
    !operations.create || newId !== undefined,
    `${type} can be created, but declares no newId, which makes ids: declare it, or leave out create`,
  )
  const isListed = operations.list !== undefined
  for (const name of [...sortsOf(definition), ...Object.keys(filtersOf(definition))]) {
    const problem = `${type}.${name} sorts or filters a collection that cannot be listed: declare the operation list, or leave out sortable and filter`
    demand(isListed, problem)
  }
  for (const [name, relationship] of Object.entries(relationships)) {
    const { target } = relationship
    demand(
      !(name in attributes),
      `${type}.${name} is an attribute and a relationship, which share their names: rename one of them`,
    )
    demand(
      types.includes(target),
      `${type}.${name} points to ${target}, which is not declared: add ${target} to the registry`,
    )
    const meta = relationship.cardinality === 'many' ? Object.entries(relationship.meta ?? {}) : []
    for (const [member, { schema }] of meta) {
      const problem = `${type}.${name}.meta.${member} must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum`
      demand(isEnumeration(schema()), problem)
    }
  }
}
