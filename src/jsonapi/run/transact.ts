import type { Principal } from '../declare/access.ts'
import { jsonapi } from '../document.ts'
import { atomicExtension, withExtension } from '../request/media-type.ts'
import type { TransactionOperation } from '../request/operations.ts'
import { editOf } from './edit.ts'
import { createdBefore, type IdempotencyKey, replayed } from './idempotency.ts'
import { type Answer, noStore, planRead, type Reading, type Service } from './read.ts'
import { refused } from './refused.ts'
import { arrayText, compileRenderer, firstText } from './render.ts'
import type { Found } from './store.ts'
import { showsSensitive } from './view.ts'

/** What answers a transaction without an error. */
const status = 200

/** Of what was just written, no cache keeps more than a copy that it asks about. */
const cacheControl = 'private, no-cache'

const documentStart = JSON.stringify({ ...jsonapi, ext: [atomicExtension] })

/**
 * Runs the operations of a transaction in their order: all of them or none (contract, section 13). Its answer has a result
 * for each: the resource that was added as it was then, or an empty object.
 *
 * @param key a request that has written with it before is answered once more, with what it added as that is now
 * @throws ApiError what the first operation that cannot be done would throw by itself, with its places; before that CONFLICT
 * for a key that another request has used
 */
export async function transact(
  service: Service,
  [first, ...rest]: readonly TransactionOperation[],
  principal: Principal,
  key?: IdempotencyKey,
): Promise<Answer> {
  if (!first) {
    throw new Error('A transaction without operations is not valid')
  }
  const operations = [first, ...rest]
  const added = operations.filter(({ operation }) => operation === 'create').map(({ id }) => id)
  const readings = readingsOf(service, operations, added, principal)
  const edit = (operation: TransactionOperation) => {
    const reading = readings.get(operation)
    return editOf({ ...operation, ...(reading && { read: reading.read }) }, principal)
  }
  const outcome = await service.store.write([edit(first), ...rest.map(edit)], key)
  if (outcome.kind === 'used') {
    const before = await createdBefore(key, outcome)
    const again = readingsOf(service, operations, before, principal)
    const answer = answerOf(service, operations, again, await readAll(service, again))
    // Its own ids: an earlier attempt of this request was carried out, and only its answer lost.
    const isOwn = added.length > 0 && added.join() === before.join()
    return isOwn ? answer : { ...answer, headers: [...answer.headers, replayed] }
  }
  if (outcome.kind !== 'done') {
    const failed = operations[outcome.at]
    throw failed
      ? refused(service.root, failed, outcome, failed.places)
      : new Error('A refusal names no operation')
  }
  return answerOf(service, operations, readings, outcome.found)
}

/** What is read for the results of operations, by those that add something. */
type Readings = ReadonlyMap<TransactionOperation, Reading>

/**
 * Reads what adds have made, as the answer to a create of its own shows it.
 *
 * @param ids what each of them has made, in their order
 */
function readingsOf(
  service: Service,
  operations: readonly TransactionOperation[],
  ids: readonly string[],
  principal: Principal,
): Readings {
  const everything = { include: undefined, fields: new Map() }
  const adds = operations.filter(({ operation }) => operation === 'create')
  return new Map(
    adds.map((add, index) => {
      const from = { kind: 'ids', ids: ids.slice(index, index + 1) } as const
      return [add, planRead(service, { definition: add.definition, principal }, everything, from)]
    }),
  )
}

/** Reads all of it in at most one round trip. */
async function readAll({ store }: Service, readings: Readings): Promise<readonly Found[]> {
  const [first, ...rest] = [...readings.values()].map(({ read }) => read)
  return first ? store.read([first, ...rest]) : []
}

/** The answer to a transaction. `found`: what each of the readings has found. */
function answerOf(
  { root }: Service,
  operations: readonly TransactionOperation[],
  readings: Readings,
  found: readonly Found[],
): Answer {
  const next = found[Symbol.iterator]()
  let isSensitive = false
  const results = arrayText(operations, (operation) => {
    const reading = readings.get(operation)
    const records = reading ? (next.next().value?.records ?? []) : []
    if (!reading || records.length === 0) {
      return '{}'
    }
    isSensitive ||= records.some((record) => showsSensitive(reading.view, record))
    return `{"data":${firstText(records, compileRenderer(root, reading.view))}}`
  })
  return {
    status,
    headers: [],
    cacheControl: isSensitive ? noStore : cacheControl,
    body: `{"jsonapi":${documentStart},"atomic:results":${results}}`,
    mediaType: withExtension(atomicExtension),
  }
}
