import type { Access } from './access.ts'
import { hasId, isRead, isRelated, type Operation, operations } from './operation.ts'
import type { Registry } from './registry.ts'
import { type OperationRule, type ResourceDefinition, ruleOf } from './resource.ts'

/** An operation of one resource type, or of one of its relationships, whether it is implemented or not. */
export interface OperationOf {
  readonly definition: ResourceDefinition
  readonly operation: Operation
  readonly relationship: string | undefined
}

/** One implemented operation, and who may call it. */
export interface Endpoint extends OperationOf {
  readonly rule: OperationRule
}

/** Every implemented operation, from the declarations of the resource types. */
export function endpointsOf(registry: Registry): Endpoint[] {
  return registry.types.flatMap((type) => {
    const definition = registry.get(type)
    return [undefined, ...Object.keys(definition.relationships)].flatMap((relationship) =>
      (Object.keys(operations) as Operation[]).flatMap((operation) => {
        const rule = ruleOf(definition, operation, relationship)
        return rule ? [{ definition, operation, relationship, rule }] : []
      }),
    )
  })
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

/** The type whose resources an endpoint answers with: for related resources, the target of the relationship. */
export function subjectOf(
  registry: Registry,
  { definition, operation, relationship = '' }: OperationOf,
): ResourceDefinition {
  const related = definition.relationships[relationship]
  return related && isRelated(operation) ? registry.get(related.target) : definition
}

/** The name of an endpoint in the log: `articles.get`, `articles.authors.addMany`. */
export function endpointName({ definition, operation, relationship }: OperationOf): string {
  return [definition.type, relationship, operation].filter(Boolean).join('.')
}

/** The path of transactions below the root (contract, section 13). */
export const operationsPath = '/operations'

/** Every write operation of every type: those that a transaction can hold. */
export function writesOf(registry: Registry): Endpoint[] {
  return endpointsOf(registry).filter(({ operation }) => !isRead(operation))
}

/**
 * The rule of transactions: a caller may send one who may call at least one write operation. Each operation of a transaction is
 * held to its own rule besides.
 *
 * @returns undefined where no type has a write operation, so that there are no transactions
 */
export function transactionRule(registry: Registry): OperationRule | undefined {
  const alternatives = writesOf(registry).flatMap(({ rule }) => rule.access)
  // Ownership is judged for each operation. Only persons can own resources or have scopes.
  const distinct = new Map(
    alternatives.map(({ scopes, owner }): [string, Access] =>
      scopes ? [scopes.toSorted().join(), { scopes }] : [String(owner), owner ? { owner } : {}],
    ),
  )
  const [first, ...rest] = distinct.values()
  return first && { access: [first, ...rest] }
}
