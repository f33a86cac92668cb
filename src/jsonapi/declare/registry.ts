import { isEnumeration } from '../validate.ts'
import { type Deprecation, deprecationFault } from './deprecation.ts'
import { filtersOf, sortsOf } from './readable.ts'
import type { OperationRule, ResourceDefinition, Storage } from './resource.ts'

/** The resource types of a service. */
export interface Registry<Stored extends Storage = Storage> {
  readonly types: readonly string[]
  /** @throws Error when there is no such type, which is a mistake in the program and never the caller's */
  get(type: string): ResourceDefinition<Stored>
  /** The types that a document about `type` can hold: the type itself, and those that `include` reaches from it. */
  reachable(type: string): readonly string[]
}

/** The longest path of `include`, in relationships (contract, section 6). */
export const includeDepth = 3

/**
 * Collects resource types into a registry.
 *
 * @param refuse throws an Error where a type declares something that the store cannot serve
 * @throws Error when a type is declared twice or declares something that cannot be served; the message says what to change
 */
export function createRegistry<Stored extends Storage>(
  definitions: readonly ResourceDefinition<Stored>[],
  refuse: (registry: Registry<Stored>) => void = () => {},
): Registry<Stored> {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]))
  if (byType.size !== definitions.length) {
    throw new Error('A resource type is declared twice')
  }
  const get = (type: string): ResourceDefinition<Stored> => {
    const definition = byType.get(type)
    if (!definition) {
      throw new Error(`There is no resource type ${type}`)
    }
    return definition
  }
  const reach = (type: string, depth: number, found: Set<string>): Set<string> => {
    found.add(type)
    if (depth > 0) {
      for (const { target } of Object.values(get(type).relationships)) {
        reach(target, depth - 1, found)
      }
    }
    return found
  }
  const registry: Registry<Stored> = {
    types: [...byType.keys()],
    get,
    reachable: (type) => [...reach(type, includeDepth, new Set())],
  }
  for (const definition of definitions) {
    refuseUnserved(definition, registry.types)
  }
  refuse(registry)
  return registry
}

/** @throws Error when a definition declares what the engine cannot serve */
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
  for (const [name, { deprecated }] of deprecable(definition)) {
    const fault = deprecated && deprecationFault(deprecated)
    demand(fault === undefined, `${type}.${name} ${fault}`)
  }
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
      demand(isEnumeration(schema), problem)
    }
  }
}

/** Everything in a definition that can be deprecated, by its name in messages: its attributes, and all operations. */
function deprecable({
  attributes,
  relationships,
  operations,
}: ResourceDefinition): [name: string, { readonly deprecated?: Deprecation }][] {
  const onRelationships = Object.entries(relationships).flatMap(([name, relationship]) =>
    Object.entries<OperationRule>(relationship.operations).map(
      ([operation, rule]): [string, OperationRule] => [`${name}.${operation}`, rule],
    ),
  )
  return [...Object.entries(attributes), ...Object.entries(operations), ...onRelationships]
}
