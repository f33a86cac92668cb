import type { ResourceDefinition } from './resource.ts'

/** The resource types of a service. */
export interface Registry {
  readonly types: readonly string[]
  /** @throws Error when there is no such type, which is a mistake in the program and never the caller's */
  get(type: string): ResourceDefinition
  /** The types that a document about `type` can hold: the type itself, and those that `include` reaches from it. */
  reachable(type: string): readonly string[]
}

/** The longest path of `include`, in relationships (contract, section 6). */
export const includeDepth = 3

/** Collects resource types into a registry. `src/db/check.ts` tells whether all of them can be served, and no isolate has to. */
export function createRegistry(definitions: readonly ResourceDefinition[]): Registry {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]))
  const get = (type: string): ResourceDefinition => {
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
  return {
    types: definitions.map(({ type }) => type),
    get,
    reachable: (type) => [...reach(type, includeDepth, new Set())],
  }
}
