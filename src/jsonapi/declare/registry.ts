import { hasId, isRelated, type Operation, operations } from './operation.ts'
import { type OperationRule, type ResourceDefinition, ruleOf } from './resource.ts'

/** The resource types of a service. */
export interface Registry {
  readonly types: readonly string[]
  /** @throws Error for an unknown type: a mistake in the program, not of the caller */
  get(type: string): ResourceDefinition
  /** The types that a document about `type` can hold: the type itself, and every type that `include` reaches from it. */
  reachable(type: string): readonly string[]
}

/** The maximum length of an `include` path, in relationships. */
export const includeDepth = 3

/** Collects resource types into a registry. `scripts/checks/declarations.ts` checks them when the Worker is built. */
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

/** An operation of one resource type, or of one of its relationships, whether it is implemented or not. */
export interface OperationOf {
  readonly definition: ResourceDefinition
  readonly operation: Operation
  readonly relationship: string | undefined
}

/** One implemented operation, and who may call it. */
export interface Endpoint extends OperationOf {
  readonly rule: OperationRule
  /** The type whose resources it answers with: for related resources, the target of the relationship. */
  readonly subject: ResourceDefinition
}

/** Every implemented operation, from the declarations of the resource types. */
export function endpointsOf(registry: Registry): Endpoint[] {
  return registry.types.flatMap((type) => {
    const definition = registry.get(type)
    return [undefined, ...Object.keys(definition.relationships)].flatMap((relationship) =>
      (Object.keys(operations) as Operation[]).flatMap((operation) => {
        const rule = ruleOf(definition, operation, relationship)
        const related = definition.relationships[relationship ?? '']
        const subject = related && isRelated(operation) ? registry.get(related.target) : definition
        return rule ? [{ definition, operation, relationship, rule, subject }] : []
      }),
    )
  })
}

/** The status and the headers of a successful answer. */
export interface Success {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** The status and the headers of success: what the rule of the operation declares, or else the status of all such operations. */
export function successOf({ definition, operation, relationship }: OperationOf): Success {
  const rule = ruleOf(definition, operation, relationship)
  return { status: rule?.status ?? operations[operation].status, headers: rule?.headers ?? [] }
}

/**
 * The path of an endpoint below the root.
 *
 * @param id how the path spells the id: `:id` for a router, `{id}` for the interface description
 */
export function endpointPath(
  { definition, operation, relationship }: OperationOf,
  id: string,
): string {
  const collection = `/${definition.type}`
  const item = hasId(operation) ? `${collection}/${id}` : collection
  return relationship === undefined
    ? item
    : `${item}${isRelated(operation) ? '' : '/relationships'}/${relationship}`
}

/** The name of an endpoint in the log: `articles.get`, `articles.authors.addMany`. */
export function endpointName({ definition, operation, relationship }: OperationOf): string {
  return [definition.type, relationship, operation].filter(Boolean).join('.')
}
