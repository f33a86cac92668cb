import type { Access } from './access.ts'
import { type Endpoint, endpointsOf } from './endpoint.ts'
import { isRead, type WriteOperation } from './operation.ts'
import type { Registry } from './registry.ts'
import type { OperationRule } from './resource.ts'

/** The path of transactions below the root (contract, section 13). */
export const operationsPath = '/operations'

/** Every write of every type: what a transaction can be made of. */
export function writesOf(registry: Registry): Endpoint[] {
  return endpointsOf(registry).filter(({ operation }) => !isRead(operation))
}

/**
 * Who may send a transaction: whoever may call one of the writes that it can be made of. Each of its operations has its own
 * rule besides.
 *
 * @returns undefined where nothing can be written, so that there are no transactions
 */
export function transactionRule(registry: Registry): OperationRule | undefined {
  const alternatives = writesOf(registry).flatMap(({ rule }) => rule.access)
  // Ownership is judged for each operation. Only persons own, and only persons have scopes.
  const distinct = new Map(
    alternatives.map(({ scopes, owner }): [string, Access] =>
      scopes ? [scopes.toSorted().join(), { scopes }] : [String(owner), owner ? { owner } : {}],
    ),
  )
  const [first, ...rest] = distinct.values()
  return first && { access: [first, ...rest] }
}

/** What the operations of a transaction are called. */
export const transactionVerbs = ['add', 'update', 'remove'] as const

/** What an operation of a transaction does. */
export type TransactionVerb = (typeof transactionVerbs)[number]

/** The write operation that a verb stands for, by what its target is; where there is none, it does not apply. */
export const verbs: Readonly<
  Record<'resource' | 'one' | 'many', Readonly<Partial<Record<TransactionVerb, WriteOperation>>>>
> = {
  resource: { add: 'create', update: 'update', remove: 'delete' },
  one: { update: 'replaceOne' },
  many: { add: 'addMany', update: 'replaceMany', remove: 'removeMany' },
}
