import type { ResourceDefinition } from './resource.ts'

/** The resource types of one service by name. */
export interface Registry<Source = unknown> {
  readonly types: readonly string[]
  /** @throws Error when there is no such type: a mistake of the program, never of a caller */
  get(type: string): ResourceDefinition<Source>
  /** The types that can stand in a document about `type`: itself, and what its includes reach. */
  reachable(type: string): readonly string[]
}

/** The longest path of `include`, in relationships (contract, section 6). */
export const includeDepth = 3

/**
 * Collects resource types into a registry.
 *
 * @throws Error when a type is declared twice, or a relationship points to a type that is not there
 */
export function createRegistry<Source>(
  definitions: readonly ResourceDefinition<Source>[],
): Registry<Source> {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]))
  if (byType.size !== definitions.length) {
    throw new Error('A resource type is declared twice')
  }
  for (const { type, relationships } of definitions) {
    for (const [name, { target }] of Object.entries(relationships)) {
      if (!byType.has(target)) {
        throw new Error(`${type}.${name} points to ${target}, which is not declared`)
      }
    }
  }
  const get = (type: string): ResourceDefinition<Source> => {
    const definition = byType.get(type)
    if (!definition) {
      throw new Error(`No resource type ${type}`)
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
  return {
    types: [...byType.keys()],
    get,
    reachable: (type) => [...reach(type, includeDepth, new Set())],
  }
}
