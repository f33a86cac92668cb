import { allows, type Principal } from '../declare/access.ts'
import type { WriteOperation } from '../declare/operation.ts'
import { transactionVerbs, verbs } from '../declare/operation.ts'
import { newIdOf, ruleOf } from '../declare/resource.ts'
import { type FaultList, faultCodes, type Problem } from '../errors.ts'
import { valueAt } from '../validate.ts'
import { listed, quote } from '../wording.ts'
import type { LocalIds } from './lids.ts'
import type { BodyReader, Payload } from './payload.ts'
import type { Places } from './places.ts'
import { type AddFault, type DeclaredTarget, sentId } from './target.ts'

/** One operation of a transaction as it was sent, with the list that takes its faults. */
export interface Item {
  readonly sent: unknown
  readonly pointer: Places['pointer']
  readonly faults: FaultList
  /** Adds a fault at a pointer below the operation. */
  readonly add: AddFault
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
export function operationOn(
  { definition, relationship, pointer, typePointer, id }: DeclaredTarget,
  { sent, add }: Item,
  principal: Principal,
): WriteOperation | undefined {
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
    add(faultCodes.undeclared, `${quote(verb)} is not implemented for ${what}.`, typePointer)
    return undefined
  }
  if (!allows(rule.access, principal, 'maybe')) {
    add(faultCodes.forbidden, 'The scopes of the token do not permit this operation.', '')
  }
  if (name === 'create' && (pointer === '/ref' || (pointer === '/href' && id !== undefined))) {
    const detail =
      'A resource that is added has no id yet. Leave out ref, or send the path of its collection in href.'
    add('VALUE_INVALID_FORMAT', detail, pointer)
  }
  return name
}

/** The id of the resource of an operation: a new one for an add, otherwise the one of its `lid`, or the one that was sent. */
export function idOf(
  target: DeclaredTarget,
  name: WriteOperation,
  { add, pointer, faults }: Item,
  lids: LocalIds,
): string | undefined {
  const { definition, lid, id, idPointer } = target
  if (name === 'create') {
    return newIdOf(definition)
  }
  if (id === undefined && typeof lid === 'string') {
    return lids.idOf(definition.type, lid, pointer(idPointer), faults)
  }
  if (id === undefined && target.pointer === '/href') {
    add(
      'VALUE_INVALID_FORMAT',
      'This operation needs the path of a resource or of a relationship, not that of a collection.',
      '/href',
    )
  }
  return sentId(target, add)
}

/** Lets later operations refer to what is added by its `lid`, if it has one. */
export function nameAdded(
  { definition: { type } }: DeclaredTarget,
  id: string,
  { sent, add }: Item,
  lids: LocalIds,
): void {
  const lid = valueAt(sent, ['data', 'lid'])
  if (typeof lid === 'string' && !lids.name(type, lid, id)) {
    const detail = `An earlier operation has added a resource of type ${type} with the lid ${quote(lid)}.`
    add(faultCodes.usedLid, detail, '/data/lid')
  }
}

/** The payload of an operation; undefined where its body is not valid. */
export function payloadOf(
  target: DeclaredTarget,
  name: WriteOperation,
  id: string | undefined,
  { sent, pointer, faults }: Item,
  lids: LocalIds,
  read: BodyReader,
): Payload | undefined {
  const data = valueAt(sent, ['data'])
  const at = pointer('/data')
  const isResource = target.relationship === undefined
  const identified =
    name !== 'update' || !isResource
      ? data
      : // The fault of an unknown lid of the target has been added already.
        lids.identified(data, at, target.pointer === '/data' ? undefined : faults, id)
  const resolved = lids.resolve(identified, isResource, at, faults)
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
