import * as z from 'zod/mini'
import { lazy } from '../../lib/kept.ts'
import { allows, type Principal } from '../declare/access.ts'
import { transactionVerbs, verbs, type WriteOperation } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import { newIdOf, type ResourceDefinition, ruleOf } from '../declare/resource.ts'
import { type FaultList, faultCodes, listed, maxErrors, type Problem, quote } from '../errors.ts'
import { isObject } from '../json.ts'
import { faultsOf, refused, upTo, type Verdict, validateWith, valueAt } from '../validate.ts'
import {
  type BodyReader,
  bodyReader,
  identifiersIn,
  identifiersOf,
  isId,
  maxIdentifiers,
  maxIdLength,
  meta,
  notAnId,
  type Payload,
  tell,
} from './body.ts'
import { LocalIds } from './lids.ts'
import type { Places } from './places.ts'
import { type AddFault, pointerIn, type Target, targetOf } from './target.ts'

/** The member that holds the operations of a transaction. */
export const operationsMember = 'atomic:operations'

/** The most operations of one transaction (contract, section 13). */
export const maxOperations = 20

/**
 * The most members of relationships that may name a resource which a transaction deletes (contract, section 13). All of them go
 * with it, at the price of one write. A request of its own does that once, and nothing undoes it.
 */
export const maxLinks = 1_000

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
      maxOperations,
      z.strictObject({
        op: z.enum(transactionVerbs),
        ref: z.optional(
          z.strictObject({
            type: z.string(),
            // Whether it is an id is judged with the target, so that the fault is told once.
            id: z.optional(z.string().check(z.meta({ minLength: 1, maxLength: maxIdLength }))),
            lid: z.optional(z.string()),
            relationship: z.optional(z.string()),
          }),
        ),
        href: z.optional(z.string()),
        data: z.optional(z.unknown()),
        meta: meta(),
      }),
      z.minLength(1),
    ),
    jsonapi: meta(),
    links: meta(),
    meta: meta(),
  }),
)

/**
 * Makes what judges the parsed body of a transaction for a caller. Its verdict tells the faults of all operations. Build it once:
 * it keeps the schemas that it makes.
 *
 * @param root the root path, which each `href` begins with
 */
export function operationsReader(registry: Registry, root: string) {
  const readers = new Map<string, BodyReader>()
  const readerOf = ({ definition, relationship }: Target, name: WriteOperation): BodyReader => {
    const key = JSON.stringify([definition.type, name, relationship])
    const reader = readers.get(key) ?? bodyReader(definition, name, relationship)
    readers.set(key, reader)
    return reader
  }
  return (body: object, principal: Principal): Verdict<readonly TransactionOperation[]> => {
    const faults = faultsOf(
      validateWith(transactionBody(), body, (issue, all) => tell(issue, all, body)),
    )
    const sent = sentOperations(body)
    const lids = new LocalIds()
    const counts: number[] = []
    const read = sent.flatMap((one, index) => {
      // The schema has added the fault of what is no object. Behind the last fault that is told, nothing more is validated.
      if (!isObject(one) || faults.problems.length === maxErrors) {
        return []
      }
      const item = itemOf(one, `/${operationsMember}/${index}`, faults)
      const target = targetOf(registry, root, one, item.add)
      const name = target && operationOn(target, item, principal)
      if (name !== 'delete') {
        counts.push(
          target?.relationship ? identifiersOf(valueAt(one, ['data'])) : identifiersIn(one),
        )
      }
      return (name && operationOf(target, name, item, lids, readerOf)) ?? []
    })
    addCountFault(counts, faults)
    return faults.problems.length === 0 ? { ok: true, value: read } : refused(faults)
  }
}

/** The operations of a body, at most {@link maxOperations}; none where the body does not have the form of a transaction. */
export function sentOperations(body: object): readonly unknown[] {
  const sent = valueAt(body, [operationsMember])
  return Array.isArray(sent) ? sent.slice(0, maxOperations) : []
}

/** One operation of a transaction as it was sent, with the list that takes its faults. */
interface Item {
  readonly sent: object
  readonly pointer: Places['pointer']
  readonly faults: FaultList
  readonly add: AddFault
}

function itemOf(sent: object, above: string, faults: FaultList): Item {
  const pointer = pointerInto(sent, above)
  const add: AddFault = (code, detail, below) =>
    faults.add(() => ({ code, detail, source: { pointer: pointer(below) } }))
  return { sent, pointer, faults, add }
}

/**
 * Makes the pointers of an operation's faults.
 *
 * @param above the pointer to the operation
 * @returns turns a pointer below the operation into one below the body; a fault of an id is told at the `lid` that stands there
 */
export function pointerInto(sent: unknown, above: string): Places['pointer'] {
  return (below) => {
    const path = below.split('/').slice(1, -1)
    const isLid =
      below.endsWith('/id') &&
      valueAt(sent, [...path, 'id']) === undefined &&
      valueAt(sent, [...path, 'lid']) !== undefined
    return above + (isLid ? below.replace(/id$/, 'lid') : below)
  }
}

/** The write operation that an operation of a transaction stands for; undefined where there is none (contract, section 13). */
function operationOn(
  target: Target,
  { sent, add }: Item,
  principal: Principal,
): WriteOperation | undefined {
  const { definition, relationship, at, id } = target
  const verb = transactionVerbs.find((one) => one === valueAt(sent, ['op']))
  if (!verb) {
    return undefined
  }
  const related = definition.relationships[relationship ?? '']
  const taken = verbs[related?.cardinality ?? 'resource']
  const name = taken[verb]
  if (!name) {
    add('INVALID_ENUM_VALUE', `${quote(verb)} is not one of: ${listed(Object.keys(taken))}.`, '/op')
    return undefined
  }
  const rule = ruleOf(definition, name, relationship)
  if (!rule) {
    const what = relationship === undefined ? definition.type : `${definition.type}.${relationship}`
    add(
      faultCodes.undeclared,
      `${quote(verb)} is not implemented for ${what}.`,
      pointerIn(target, 'type'),
    )
    return undefined
  }
  if (!allows(rule.access, principal, 'maybe')) {
    add(faultCodes.forbidden, 'The scopes of the token do not permit this operation.', '')
  }
  if (name === 'create' && (at === '/ref' || (at === '/href' && id !== undefined))) {
    const detail =
      'A resource that is added has no id yet. Leave out ref, or send the path of its collection in href.'
    add('VALUE_INVALID_FORMAT', detail, at)
  }
  return name
}

/** The valid operation; undefined where it has faults, which are added. */
function operationOf(
  target: Target,
  name: WriteOperation,
  item: Item,
  lids: LocalIds,
  readerOf: (target: Target, name: WriteOperation) => BodyReader,
): TransactionOperation | undefined {
  const { definition, relationship } = target
  const { pointer, add } = item
  const id = name === 'create' ? newIdOf(definition) : idOf(target, item, lids)
  // A delete ignores its body, as it does outside a transaction (contract, section 6).
  const payload =
    name === 'delete' ? nothing : payloadOf(target, name, id, item, lids, readerOf(target, name))
  // The lid is set after the linkage is resolved, so that a resource cannot refer to itself by it.
  const lid = valueAt(item.sent, ['data', 'lid'])
  if (name === 'create' && id !== undefined && typeof lid === 'string') {
    if (!lids.name(definition.type, lid, id)) {
      const detail = `An earlier operation has added a resource of type ${definition.type} with the lid ${quote(lid)}.`
      add(faultCodes.usedLid, detail, '/data/lid')
    }
  }
  if (id === undefined || !payload) {
    return undefined
  }
  const resource = { pointer: pointer(pointerIn(target, 'id')) }
  const places = { resource, pointer, nameOf: lids.nameOf }
  return { definition, operation: name, relationship, id, payload, places }
}

const nothing: Payload = { attributes: {}, relationships: {} }

/**
 * The id of the resource that exists before the operation: that of its `lid`, or the one that was sent. Adds a fault for an id that
 * a path could not hold (contract, section 6).
 */
function idOf(target: Target, { add, pointer, faults }: Item, lids: LocalIds): string | undefined {
  const { definition, lid, id, at } = target
  const idPointer = pointerIn(target, 'id')
  if (typeof id === 'string') {
    if (!isId(id)) {
      add('VALUE_INVALID_FORMAT', notAnId(id), idPointer)
      return undefined
    }
    return id
  }
  if (id === undefined && typeof lid === 'string') {
    return lids.idOf(definition.type, lid, pointer(idPointer), faults)
  }
  if (id === undefined && at === '/href') {
    const detail =
      'This operation needs the path of a resource or of a relationship, not that of a collection.'
    add('VALUE_INVALID_FORMAT', detail, '/href')
  }
  return undefined
}

/** The payload of an operation; undefined where its body is not valid. */
function payloadOf(
  { definition, at, relationship }: Target,
  name: WriteOperation,
  id: string | undefined,
  { sent, pointer, faults }: Item,
  lids: LocalIds,
  read: BodyReader,
): Payload | undefined {
  const data = valueAt(sent, ['data'])
  const above = pointer('/data')
  const identified =
    name === 'update'
      ? // The fault of an unknown lid of the target has been added already.
        lids.identified(data, above, at === '/data' ? undefined : faults, id)
      : data
  const names = relationship === undefined ? Object.keys(definition.relationships) : undefined
  const resolved = lids.resolve(identified, names, above, faults)
  const verdict = read({ data: resolved }, name === 'create' ? undefined : id, lids.nameOf)
  if (!verdict.ok) {
    faults.join({ ...verdict, problems: verdict.problems.map((one) => placed(one, pointer)) })
  }
  return verdict.ok ? verdict.value : undefined
}

function placed(problem: Problem, pointer: Places['pointer']): Problem {
  const { source } = problem
  return source && 'pointer' in source
    ? { ...problem, source: { pointer: pointer(source.pointer) } }
    : problem
}

/**
 * Adds the fault of a transaction with too many identifiers in all its operations. Where a single operation has too many, its
 * own reader tells that.
 *
 * @param counts the identifiers of each operation whose `data` is read
 */
function addCountFault(counts: readonly number[], faults: FaultList): void {
  const sum = counts.reduce((total, count) => total + count, 0)
  if (sum > maxIdentifiers && counts.every((count) => count <= maxIdentifiers)) {
    faults.add(() => ({
      code: 'VALUE_INVALID_FORMAT',
      detail: `The operations hold ${sum} identifiers together, and at most ${maxIdentifiers} are allowed.`,
      source: { pointer: `/${operationsMember}` },
    }))
  }
}
