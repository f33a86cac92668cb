import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import type { Principal } from '../declare/access.ts'
import type { WriteOperation } from '../declare/operation.ts'
import { transactionVerbs } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import type { FaultList } from '../errors.ts'
import { isObject } from '../json.ts'
import { faultsOf, judge, refused, upTo, type Verdict, valueAt } from '../validate.ts'
import { longestId, meta, mostIdentifiers } from './body.ts'
import { identifiersIn } from './identifiers.ts'
import { LocalIds } from './lids.ts'
import {
  type Item,
  idOf,
  nameAdded,
  operationOn,
  payloadOf,
  pointerInto,
} from './operation-item.ts'
import { type BodyReader, bodyReader, type Payload, tell } from './payload.ts'
import type { Places } from './places.ts'
import { declaredTarget, targetOf } from './target.ts'

/** The member that holds the operations of a transaction. */
export const operationsMember = 'atomic:operations'

/** The most operations of one transaction (contract, section 13). */
export const mostOperations = 20

/**
 * The most members of relationships that may name a resource which a transaction deletes (contract, section 13). All of them go
 * with it, at the price of one write. A request of its own does that once, and nothing undoes it.
 */
export const mostLinks = 1_000

/** One valid operation of a transaction. */
export interface TransactionOperation {
  readonly definition: ResourceDefinition
  readonly operation: WriteOperation
  readonly relationship: string | undefined
  /** The id of its resource; a new one for an add. */
  readonly id: string
  readonly payload: Payload
  readonly places: Places
}

/** The form of a transaction (https://jsonapi.org/ext/atomic). The target of an operation decides which `data` it takes. */
export const transactionBody = lazy(() =>
  z.strictObject({
    [operationsMember]: upTo(
      mostOperations,
      z.strictObject({
        op: z.enum(transactionVerbs),
        ref: z
          .strictObject({
            type: z.string(),
            // Whether it is an id is judged with the target, so that the fault is told once.
            id: z.string().meta({ minLength: 1, maxLength: longestId }).optional(),
            lid: z.string().optional(),
            relationship: z.string().optional(),
          })
          .optional(),
        href: z.string().optional(),
        data: z.unknown().optional(),
        meta: meta(),
      }),
    ).min(1),
    jsonapi: meta(),
    links: meta(),
    meta: meta(),
  }),
)

/** Judges the parsed body of a transaction for a caller. The verdict tells the faults of all operations. */
export type OperationsReader = (
  body: object,
  principal: Principal,
) => Verdict<readonly TransactionOperation[]>

/**
 * Makes a reader of transactions. Build it once: it keeps the schemas that it makes.
 *
 * @param root the root path, which each `href` begins with
 */
export function operationsReader(registry: Registry, root: string): OperationsReader {
  const readers = new Map<string, BodyReader>()
  const readerOf: ReaderOf = (definition, name, relationship) => {
    const key = JSON.stringify([definition.type, name, relationship])
    const reader = readers.get(key) ?? readerFor(definition, name, relationship)
    readers.set(key, reader)
    return reader
  }
  return (body, principal) => {
    const faults = faultsOf(judge(transactionBody(), body, (issue, all) => tell(issue, all, body)))
    const sent = sentOperations(body)
    const lids = new LocalIds()
    const read = sent.flatMap((one, index) => {
      if (!isObject(one)) {
        // The schema has added the fault already.
        return []
      }
      const pointer = pointerInto(one, `/${operationsMember}/${index}`)
      const item: Item = {
        sent: one,
        pointer,
        faults,
        add: (code, detail, below) =>
          faults.add(() => ({ code, detail, source: { pointer: pointer(below) } })),
      }
      return operationOf(registry, root, readerOf, item, lids, principal) ?? []
    })
    tooManyIdentifiers(sent, faults)
    return faults.problems.length === 0 ? { ok: true, value: read } : refused(faults)
  }
}

/** The operations of a body, at most {@link mostOperations}; none where the body does not have the form of a transaction. */
export function sentOperations(body: object): readonly unknown[] {
  const sent = valueAt(body, [operationsMember])
  return Array.isArray(sent) ? sent.slice(0, mostOperations) : []
}

type ReaderOf = (
  definition: ResourceDefinition,
  name: WriteOperation,
  relationship: string | undefined,
) => BodyReader

/** The reader of the body of an operation. A delete ignores its body, as it does outside a transaction (contract, section 6). */
function readerFor(...[definition, name, relationship]: Parameters<ReaderOf>): BodyReader {
  return name === 'delete'
    ? () => ({ ok: true, value: { attributes: {}, relationships: {} } })
    : bodyReader(definition, name, relationship)
}

function operationOf(
  registry: Registry,
  root: string,
  readerOf: ReaderOf,
  item: Item,
  lids: LocalIds,
  principal: Principal,
): TransactionOperation | undefined {
  const target = targetOf(item.sent, root, item.add)
  const declared = target && declaredTarget(registry, target, item.add)
  const operation = declared && operationOn(declared, item, principal)
  if (!declared || !operation) {
    return undefined
  }
  const { definition, relationship, idPointer } = declared
  const id = idOf(declared, operation, item, lids)
  const reader = readerOf(definition, operation, relationship)
  const payload = payloadOf(declared, operation, id, item, lids, reader)
  if (operation === 'create' && id !== undefined) {
    // The lid is set after the linkage is resolved, so that a resource cannot refer to itself by it.
    nameAdded(declared, id, item, lids)
  }
  if (id === undefined || !payload) {
    return undefined
  }
  const { pointer } = item
  const places: Places = {
    resource: { pointer: pointer(idPointer) },
    pointer,
    nameOf: lids.nameOf,
  }
  return { definition, operation, relationship, id, payload, places }
}

/**
 * Adds the fault of a transaction with too many identifiers in all its operations. Where a single operation has too many, its
 * own reader tells that.
 */
function tooManyIdentifiers(sent: readonly unknown[], faults: FaultList): void {
  const counts = sent.map(identifiersIn)
  const sum = counts.reduce((total, count) => total + count, 0)
  if (sum > mostIdentifiers && counts.every((count) => count <= mostIdentifiers)) {
    faults.add(() => ({
      code: 'VALUE_INVALID_FORMAT',
      detail: `The operations hold ${sum} identifiers together, and at most ${mostIdentifiers} are allowed.`,
      source: { pointer: `/${operationsMember}` },
    }))
  }
}
