import type { Access } from './access.ts'
import { type Endpoint, endpointsOf } from './endpoint.ts'
import { isRead, type WriteOperation } from './operation.ts'
import type { Registry } from './registry.ts'
import type { OperationRule } from './resource.ts'

/** The path of transactions below the root (contract, section 13). */
export const operationsPath = '/operations'

/**
 * The most members of relationships that may name a resource which a transaction deletes (contract, section 13). All of them go
 * with it, at the price of one write. A request of its own does that once, and nothing undoes it.
 */
export const mostLinks = 1_000

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

/** The values of `op` in a transaction. */
export const transactionVerbs = ['add', 'update', 'remove'] as const

/** One of {@link transactionVerbs}. */
export type TransactionVerb = (typeof transactionVerbs)[number]

/** The write operation of each verb, by the kind of its target. A verb that is absent does not apply to that kind. */
export const verbs: Readonly<
  Record<'resource' | 'one' | 'many', Readonly<Partial<Record<TransactionVerb, WriteOperation>>>>
> = {
  resource: { add: 'create', update: 'update', remove: 'delete' },
  one: { update: 'replaceOne' },
  many: { add: 'addMany', update: 'replaceMany', remove: 'removeMany' },
}
