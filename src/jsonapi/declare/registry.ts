import { hasId, isRelated, type Operation, operations } from './operation.ts'
import { type OperationRule, type ResourceDefinition, ruleOf } from './resource.ts'

/** The maximum length of an `include` path, in relationships. */
export const includeDepth = 3

/** The resource types of a service. */
export type Registry = ReturnType<typeof createRegistry>

/** Collects resource types into a registry. `npm run check` checks them. */
export function createRegistry(definitions: readonly ResourceDefinition[]) {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]))
  /** @throws Error for an unknown type: a mistake in the program, not of the caller */
  function get(type: string): ResourceDefinition {
    const definition = byType.get(type)
    if (!definition) {
      throw new Error(`There is no resource type ${type}`)
    }
    return definition
  }
  /** The types that a document about `type` can hold: the type itself, and every type that `include` reaches from it. */
  function reachable(type: string, depth = includeDepth): readonly string[] {
    const targets = Object.values(get(type).relationships).map(({ target }) => target)
    const further = depth > 0 ? targets.flatMap((target) => reachable(target, depth - 1)) : []
    return [...new Set([type, ...further])]
  }
  return { types: definitions.map(({ type }) => type), get, reachable }
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
export function successOf({ operation, rule }: Endpoint): Success {
  return { status: rule.status ?? operations[operation].status, headers: rule.headers ?? [] }
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
