import type { Principal } from '../declare/access.ts'
import { jsonapi } from '../document.ts'
import { atomicExtension, withExtension } from '../request/media-type.ts'
import type { TransactionOperation } from '../request/operations.ts'
import { editOf } from './edit.ts'
import { type Answer, noStore, planRead, type Reading, type Service } from './read.ts'
import { refused } from './refused.ts'
import { arrayText, compileRenderer, firstText } from './render.ts'
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
 * @throws ApiError what the first operation that cannot be done would throw by itself, with its places
 */
export async function transact(
  service: Service,
  [first, ...rest]: readonly TransactionOperation[],
  principal: Principal,
): Promise<Answer> {
  if (!first) {
    throw new Error('A transaction without operations is not valid')
  }
  const readings = new Map<TransactionOperation, Reading>()
  const edit = (operation: TransactionOperation) => {
    if (operation.operation !== 'create') {
      return editOf(operation, principal)
    }
    const reading = readingOf(service, operation, principal)
    readings.set(operation, reading)
    return editOf({ ...operation, read: reading.read }, principal)
  }
  const operations = [first, ...rest]
  const outcome = await service.store.write([edit(first), ...rest.map(edit)])
  if (outcome.kind === 'used') {
    throw new Error('A key is used that the request does not have')
  }
  if (outcome.kind !== 'done') {
    const failed = operations[outcome.at]
    throw failed
      ? refused(service.root, failed, outcome, failed.places)
      : new Error('A refusal names no operation')
  }
  const found = outcome.found[Symbol.iterator]()
  let isSensitive = false
  const results = arrayText(operations, (operation) => {
    const reading = readings.get(operation)
    const records = reading ? (found.next().value?.records ?? []) : []
    if (!reading || records.length === 0) {
      return '{}'
    }
    isSensitive ||= records.some((record) => showsSensitive(reading.view, record))
    return `{"data":${firstText(records, compileRenderer(service.root, reading.view))}}`
  })
  return {
    status,
    headers: [],
    cacheControl: isSensitive ? noStore : cacheControl,
    body: `{"jsonapi":${documentStart},"atomic:results":${results}}`,
    mediaType: withExtension(atomicExtension),
  }
}

/** Reads what an add has made, as the answer to a create of its own shows it. */
function readingOf(
  service: Service,
  { definition, id }: TransactionOperation,
  principal: Principal,
): Reading {
  const everything = { include: undefined, fields: new Map() }
  return planRead(service, { definition, principal }, everything, { kind: 'ids', ids: [id] })
}
