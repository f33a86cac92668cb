import type { WriteOperation } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import { allows, newIdOf, type Principal, ruleOf } from '../declare/resource.ts'
import { isObject, pointerToken } from '../json.ts'
import { FaultList, faultCodes, listed, maxErrors, type Problem, quote } from '../problems.ts'
import {
  type BodyReader,
  bodyReader,
  identifiersOf,
  isId,
  maxIdentifiers,
  notAnId,
  type Payload,
  reportIssue,
} from '../request/body.ts'
import type { Writable } from '../run/write-operation.ts'
import { validateWith, valueAt } from '../zod.ts'
import {
  operationsMember,
  sentOperations,
  transactionBody,
  transactionVerbs,
  verbs,
} from './extension.ts'
import { LocalIds } from './lids.ts'
import { type AddFault, pointerIn, type Target, targetOf } from './target.ts'

/** One operation of a transaction as it was sent, and what reading it needs. */
interface Sent {
  readonly operation: Readonly<Record<string, unknown>>
  /** Turns a pointer below the operation into one below the body. */
  readonly pointer: (below: string) => string
  readonly add: AddFault
  readonly faults: FaultList
  readonly lids: LocalIds
}

/**
 * Creates the reader of the bodies of transactions. It adds the faults of all operations. What it gives counts only where it has added
 * none. Call it once: the reader keeps its schemas.
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
  return (body: object, principal: Principal, faults: FaultList): readonly Writable[] => {
    validateWith(transactionBody(), body, (issue) => reportIssue(issue, faults, body))
    const lids = new LocalIds(faults)
    const counts: number[] = []
    const operations = sentOperations(body).flatMap((operation, index) => {
      // The schema has reported what is no object. After the last fault that is shown, nothing more is validated.
      if (!isObject(operation) || faults.problems.length === maxErrors) {
        return []
      }
      const pointer = pointerInto(operation, `/${operationsMember}/${index}`)
      const add: AddFault = (code, detail, below) =>
        faults.add(() => ({ code, detail, source: { pointer: pointer(below) } }))
      const target = targetOf(registry, root, operation, add)
      const name = target && operationOn(target, operation, principal, add)
      if (name !== 'delete') {
        counts.push(identifiersIn(operation.data, target?.relationship !== undefined))
      }
      const sent = { operation, pointer, add, faults, lids }
      return name ? (operationOf(target, name, sent, readerOf(target, name)) ?? []) : []
    })
    // A single operation with too many identifiers has a fault of its own.
    const sum = counts.reduce((total, count) => total + count, 0)
    if (sum > maxIdentifiers && counts.every((count) => count <= maxIdentifiers)) {
      faults.add(() => ({
        code: 'VALUE_INVALID_FORMAT',
        detail: `The operations hold ${sum} identifiers together, and at most ${maxIdentifiers} are allowed.`,
        source: { pointer: `/${operationsMember}` },
      }))
    }
    return operations
  }
}

/** The number of identifiers in `data` of an operation: in linkage, or in all relationships of a resource object. */
function identifiersIn(data: unknown, isLinkage: boolean): number {
  if (isLinkage || Array.isArray(data)) {
    return identifiersOf(data)
  }
  const relationships = valueAt(data, ['relationships'])
  const all = isObject(relationships) ? Object.values(relationships) : []
  return all.reduce<number>((sum, each) => sum + identifiersOf(valueAt(each, ['data'])), 0)
}

/**
 * Makes the pointers of an operation's faults. A fault of an id is reported at the `lid` where that stands in its place.
 *
 * @param above the pointer to the operation
 */
function pointerInto(operation: unknown, above: string): Sent['pointer'] {
  return (below) => {
    const path = below.split('/').slice(1, -1)
    const isLid =
      below.endsWith('/id') &&
      valueAt(operation, [...path, 'id']) === undefined &&
      valueAt(operation, [...path, 'lid']) !== undefined
    return above + (isLid ? below.replace(/id$/, 'lid') : below)
  }
}

/** The write that an operation of a transaction stands for; undefined where there is none. */
function operationOn(
  target: Target,
  { op }: Sent['operation'],
  principal: Principal,
  add: AddFault,
): WriteOperation | undefined {
  const { definition, relationship, at, id } = target
  const verb = transactionVerbs.find((one) => one === op)
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
  sent: Sent,
  read: BodyReader,
): Writable | undefined {
  const { definition, relationship } = target
  const { operation, add, faults, lids, pointer } = sent
  const placed = (problem: Problem): Problem => {
    const { source, detail } = problem
    const isMissingId = detail === '"id" is required.'
    const named = {
      ...problem,
      detail: isMissingId ? '"id" or "lid" is required.' : lids.named(detail),
    }
    if (!source || !('path' in source || 'pointer' in source)) {
      return named
    }
    const below = 'path' in source ? pointerIn(target, 'id') : source.pointer
    return { ...named, source: { pointer: pointer(below) } }
  }
  const id = name === 'create' ? newIdOf(definition) : idOf(target, sent)
  let payload: Payload | undefined = { attributes: {}, relationships: {} }
  // A delete ignores its body, as it does outside a transaction.
  if (name !== 'delete') {
    const data = dataOf(target, name, id, sent)
    const found = new FaultList()
    payload = read({ data }, name === 'create' ? undefined : id, found)
    faults.join({ omitted: found.omitted, problems: found.problems.map(placed) })
  }
  // The lid is added after the linkage is resolved, so that a resource cannot refer to itself by it.
  const lid = valueAt(operation.data, ['lid'])
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

/** The id of the resource that exists before the operation: the one that was sent, or that of its `lid`. */
function idOf(target: Target, { add, pointer, lids }: Sent): string | undefined {
  const { definition, lid, id, at } = target
  const below = pointerIn(target, 'id')
  if (typeof id === 'string') {
    if (isId(id)) {
      return id
    }
    add('VALUE_INVALID_FORMAT', notAnId(id), below)
  } else if (id === undefined && typeof lid === 'string') {
    return lids.idOf(definition.type, lid, pointer(below))
  } else if (id === undefined && at === '/href') {
    const detail =
      'This operation needs the path of a resource or of a relationship, not that of a collection. Send such a path in href, or type and id in ref.'
    add('VALUE_INVALID_FORMAT', detail, '/href')
  }
  return undefined
}

/**
 * The `data` of an operation with an id in place of each `lid`. Values that are no identifiers stay as they are: the schemas of bodies
 * report them.
 */
function dataOf(
  { definition, at, relationship }: Target,
  name: WriteOperation,
  id: string | undefined,
  { operation, pointer, lids }: Sent,
): unknown {
  const above = pointer('/data')
  // Where a lid is unknown, another id stands in, so that this is the only fault. The end of the pointer differs for each.
  const identified = (item: unknown, at: string, standIn = at.slice(-60)): unknown => {
    if (!isObject(item) || item.id !== undefined || typeof item.lid !== 'string') {
      return item
    }
    const { lid, ...rest } = item
    return { ...rest, id: lids.idOf(item.type, String(lid), `${at}/lid`) ?? standIn }
  }
  const linked = (linkage: unknown, at: string): unknown =>
    Array.isArray(linkage)
      ? linkage.map((item, index) => identified(item, `${at}/${index}`))
      : identified(linkage, at)
  if (relationship !== undefined) {
    return linked(operation.data, above)
  }
  let { data } = operation
  if (name === 'update' && at !== '/data') {
    data = identified(data, above, id)
  } else if (name === 'update' && isObject(data) && typeof data.lid === 'string') {
    // The lid of the target has been looked for already.
    data = { id: id ?? above, ...data }
  }
  if (!isObject(data) || !isObject(data.relationships)) {
    return data
  }
  const relationships = { ...data.relationships }
  for (const each of Object.keys(definition.relationships)) {
    const value = relationships[each]
    if (isObject(value)) {
      const at = `${above}/relationships${pointerToken(each)}/data`
      relationships[each] = { ...value, data: linked(value.data, at) }
    }
  }
  return { ...data, relationships }
}
