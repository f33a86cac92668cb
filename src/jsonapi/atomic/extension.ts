import * as z from 'zod/mini'
import { lazy } from '../../lib/cache.ts'
import type { WriteOperation } from '../declare/operation.ts'
import { type Endpoint, endpointsOf, isReadEndpoint, type Registry } from '../declare/registry.ts'
import type { Access, OperationRule } from '../declare/resource.ts'
import type { ErrorCode } from '../problems.ts'
import { maxIdLength, meta } from '../request/body.ts'

/** The extension "Atomic Operations" of JSON:API. Only the path of transactions supports it. */
export const atomicExtension = 'https://jsonapi.org/ext/atomic'

/** The path of transactions below the root. */
export const operationsPath = '/operations'

/** The member that holds the operations of a transaction. */
export const operationsMember = 'atomic:operations'

/** The maximum number of operations in a transaction. */
export const maxOperations = 20

/** A transaction does not delete a resource if more than this many members of relationships point at it. */
export const maxLinks = 1_000

/** The codes of faults that only operations of transactions can have. */
export const operationCodes = {
  /** An operation names a type or a relationship that is not declared, or a write that is not implemented. */
  undeclared: 'NOT_FOUND',
  /** An earlier operation has used the `lid`. */
  usedLid: 'CONFLICT',
} as const satisfies Record<string, ErrorCode>

/** The values of `op`. */
export const transactionVerbs = ['add', 'update', 'remove'] as const

type TransactionVerb = (typeof transactionVerbs)[number]

/** The write operation of each verb, by the kind of its target. A verb that is absent does not apply to that kind. */
export const verbs: Readonly<
  Record<'resource' | 'one' | 'many', Readonly<Partial<Record<TransactionVerb, WriteOperation>>>>
> = {
  resource: { add: 'create', update: 'update', remove: 'delete' },
  one: { update: 'replaceOne' },
  many: { add: 'addMany', update: 'replaceMany', remove: 'removeMany' },
}

/** An endpoint that writes. */
export type WriteEndpoint = Endpoint<WriteOperation>

/** Every write operation of every type: those that a transaction can hold. */
export function writesOf(registry: Registry): WriteEndpoint[] {
  return endpointsOf(registry).filter((endpoint) => !isReadEndpoint(endpoint))
}

/**
 * Who may send a transaction: whoever may call at least one write operation. Each operation is held to its own rule, too.
 *
 * @returns undefined if no type has a write operation: then there are no transactions
 */
export function transactionRule(registry: Registry): OperationRule | undefined {
  const alternatives = writesOf(registry).flatMap(({ rule }) => rule.access)
  // Each operation checks ownership. Only persons can own resources or have scopes.
  const distinct = new Map(
    alternatives.map(({ scopes, owner }): [string, Access] =>
      scopes ? [scopes.toSorted().join(), { scopes }] : [String(owner), owner ? { owner } : {}],
    ),
  )
  const [first, ...rest] = distinct.values()
  return first && { access: [first, ...rest] }
}

/** The schema of a transaction. The target of an operation decides which `data` it accepts. */
export const transactionBody = lazy(() =>
  z.strictObject({
    [operationsMember]: z
      .array(
        z.strictObject({
          op: z.enum(transactionVerbs),
          ref: z.optional(
            z.strictObject({
              type: z.string(),
              // Its length is validated with the target, so that a fault is reported once.
              id: z.optional(z.string().check(z.meta({ minLength: 1, maxLength: maxIdLength }))),
              lid: z.optional(z.string()),
              relationship: z.optional(z.string()),
            }),
          ),
          href: z.optional(z.string()),
          data: z.optional(z.unknown()),
          meta: meta(),
        }),
      )
      .check(z.maxLength(maxOperations), z.minLength(1)),
    jsonapi: meta(),
    links: meta(),
    meta: meta(),
  }),
)
