import type { WriteOperation } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import { allows, newIdOf, type Principal, ruleOf } from '../declare/resource.ts'
import { isObject } from '../json.ts'
import { type FaultList, faultCodes, listed, maxErrors, type Problem, quote } from '../problems.ts'
import {
  type BodyReader,
  bodyReader,
  identifiersIn,
  identifiersOf,
  isId,
  maxIdentifiers,
  notAnId,
  type Payload,
  reportIssue,
} from '../request/body.ts'
import type { Writable } from '../run/write-operation.ts'
import { faultsOf, refused, type Verdict, validateWith, valueAt } from '../verdict.ts'
import {
  operationsMember,
  sentOperations,
  transactionBody,
  transactionVerbs,
  verbs,
} from './extension.ts'
import { LocalIds } from './lids.ts'
import { type AddFault, pointerIn, type Target, targetOf } from './target.ts'

/** One valid operation of a transaction. */
export interface TransactionOperation extends Writable {
  /** Turns a problem of the operation as a request of its own into a problem of the transaction. */
  readonly placed: (problem: Problem) => Problem
}

/**
 * Creates the reader of the bodies of transactions. It reports the faults of all operations. Call it once: the reader keeps its schemas.
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
      validateWith(transactionBody(), body, (issue, all) => reportIssue(issue, all, body)),
    )
    const lids = new LocalIds()
    const counts: number[] = []
    const read = sentOperations(body).flatMap((sent, index) => {
      // The schema has reported what is no object. After the last fault that is shown, nothing more is validated.
      if (!isObject(sent) || faults.problems.length === maxErrors) {
        return []
      }
      const pointer = pointerInto(sent, `/${operationsMember}/${index}`)
      const add: AddFault = (code, detail, below) =>
        faults.add(() => ({ code, detail, source: { pointer: pointer(below) } }))
      const target = targetOf(registry, root, sent, add)
      const name = target && operationOn(target, sent, principal, add)
      if (name !== 'delete') {
        counts.push(
          target?.relationship ? identifiersOf(valueAt(sent, ['data'])) : identifiersIn(sent),
        )
      }
      return name
        ? (operationOf(target, name, { sent, pointer, faults, add, lids }, readerOf) ?? [])
        : []
    })
    addCountFault(counts, faults)
    return faults.problems.length === 0 ? { ok: true, value: read } : refused(faults)
  }
}

/** One operation of a transaction as it was sent, and what reading it needs. */
interface Item {
  readonly sent: object
  /** Turns a pointer below the operation into one below the body. */
  readonly pointer: (below: string) => string
  readonly faults: FaultList
  readonly add: AddFault
  readonly lids: LocalIds
}

/**
 * Makes the pointers of an operation's faults. A fault of an id is reported at the `lid` where that stands in its place.
 *
 * @param above the pointer to the operation
 */
function pointerInto(sent: unknown, above: string): Item['pointer'] {
  return (below) => {
    const path = below.split('/').slice(1, -1)
    const isLid =
      below.endsWith('/id') &&
      valueAt(sent, [...path, 'id']) === undefined &&
      valueAt(sent, [...path, 'lid']) !== undefined
    return above + (isLid ? below.replace(/id$/, 'lid') : below)
  }
}

/** The write that an operation of a transaction stands for; undefined where there is none. */
function operationOn(
  target: Target,
  sent: object,
  principal: Principal,
  add: AddFault,
): WriteOperation | undefined {
  const { definition, relationship, at, id } = target
  const verb = transactionVerbs.find((one) => one === valueAt(sent, ['op']))
  if (!verb) {
    return undefined
  }
  const allowed = verbs[definition.relationships[relationship ?? '']?.cardinality ?? 'resource']
  const name = allowed[verb]
  if (!name) {
    const detail = `${quote(verb)} is not one of: ${listed(Object.keys(allowed))}.`
    add('INVALID_ENUM_VALUE', detail, '/op')
    return undefined
  }
  const rule = ruleOf(definition, name, relationship)
  if (!rule) {
    const what = relationship === undefined ? definition.type : `${definition.type}.${relationship}`
    const detail = `${quote(verb)} is not implemented for ${what}.`
    add(faultCodes.undeclared, detail, pointerIn(target, 'type'))
    return undefined
  }
  if (!allows(rule.access, principal, 'maybe')) {
    add(faultCodes.forbidden, 'The scopes of the token do not permit this operation.', '')
  }
  if (name === 'create' && (at === '/ref' || (at === '/href' && id !== undefined))) {
    const advice =
      at === '/ref'
        ? 'Leave out ref, or send the path of its collection in href.'
        : 'Send the path of its collection in href, or leave href out.'
    add('VALUE_INVALID_FORMAT', `A resource that is added has no id yet. ${advice}`, at)
  }
  return name
}

/** The valid operation; undefined where it has faults, which are added. */
function operationOf(
  target: Target,
  name: WriteOperation,
  item: Item,
  readerOf: (target: Target, name: WriteOperation) => BodyReader,
): TransactionOperation | undefined {
  const { definition, relationship } = target
  const { sent, add, lids, pointer } = item
  const placed = (problem: Problem): Problem => {
    const { source, detail } = problem
    const named = { ...problem, detail: lids.named(detail).replace(/^"id" is/, '"id" or "lid" is') }
    if (!source || !('path' in source || 'pointer' in source)) {
      return named
    }
    const below = 'path' in source ? pointerIn(target, 'id') : source.pointer
    return { ...named, source: { pointer: pointer(below) } }
  }
  const id = name === 'create' ? newIdOf(definition) : idOf(target, item)
  // A delete ignores its body, as it does outside a transaction.
  const payload =
    name === 'delete' ? nothing : payloadOf(target, name, id, item, placed, readerOf(target, name))
  // The lid is added after the linkage is resolved, so that a resource cannot refer to itself by it.
  const lid = valueAt(sent, ['data', 'lid'])
  if (name === 'create' && id !== undefined && typeof lid === 'string') {
    if (!lids.add(definition.type, lid, id)) {
      const detail = `An earlier operation has added a resource of type ${definition.type} with the lid ${quote(lid)}.`
      add(faultCodes.usedLid, detail, '/data/lid')
    }
  }
  return id === undefined || !payload
    ? undefined
    : { definition, operation: name, relationship, id, payload, placed }
}

const nothing: Payload = { attributes: {}, relationships: {} }

/** The id of the resource that exists before the operation: the one that was sent, or that of its `lid`. */
function idOf(target: Target, { add, pointer, faults, lids }: Item): string | undefined {
  const { definition, lid, id, at } = target
  const below = pointerIn(target, 'id')
  if (typeof id === 'string') {
    if (!isId(id)) {
      add('VALUE_INVALID_FORMAT', notAnId(id), below)
      return undefined
    }
    return id
  }
  if (id === undefined && typeof lid === 'string') {
    return lids.idOf(definition.type, lid, pointer(below), faults)
  }
  if (id === undefined && at === '/href') {
    const detail =
      'This operation needs the path of a resource or of a relationship, not that of a collection. Send such a path in href, or type and id in ref.'
    add('VALUE_INVALID_FORMAT', detail, '/href')
  }
  return undefined
}

/** The payload of an operation; undefined where its body is not valid. */
function payloadOf(
  { definition, at, relationship }: Target,
  name: WriteOperation,
  id: string | undefined,
  { sent, pointer, faults, lids }: Item,
  placed: TransactionOperation['placed'],
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
  const verdict = read({ data: resolved }, name === 'create' ? undefined : id)
  if (!verdict.ok) {
    faults.join({ ...verdict, problems: verdict.problems.map(placed) })
  }
  return verdict.ok ? verdict.value : undefined
}

/** Adds the fault of a transaction with too many identifiers in all. A single operation with too many has a fault of its own. */
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
