import { jsonapi, withExtension } from '../json.ts'
import { planRead, type Service, showsSensitive } from '../run/plan.ts'
import { type Answer, noStore, resourceWriter, writeArray, writeFirst } from '../run/render.ts'
import { make, type Writable } from '../run/write-operation.ts'
import { atomicExtension } from './extension.ts'

/** `Cache-Control` of the answer: a cache must ask the service before it uses its copy. */
const cacheControl = 'private, no-cache'

const documentStart = JSON.stringify({ ...jsonapi, ext: [atomicExtension] })

/** All fields of an added resource, as the answer to a create shows them. */
const everything = { include: undefined, fields: new Map() }

/**
 * Runs the operations of a transaction in their order, all of them or none. The answer has a result for
 * each: the added resource as it was right after its operation, or an empty object.
 *
 * @throws ApiError with the problems of the first operation that cannot be done, and pointers into the transaction
 */
export async function transact(service: Service, operations: readonly Writable[]): Promise<Answer> {
  const plans = operations.map((one) => {
    const from = { kind: 'ids', ids: [one.id] } as const
    const request = { ...one, query: everything }
    return one.operation === 'create' ? planRead(service.registry, request, from) : undefined
  })
  const writes = operations.map((one, index) => ({ ...one, read: plans[index]?.read }))
  const found = (await make(service, writes))[Symbol.iterator]()
  let isSensitive = false
  const start = `{"jsonapi":${documentStart},"atomic:results":`
  const body = writeArray(start, plans, (text, plan) => {
    const records = plan ? (found.next().value?.records ?? []) : []
    // A resource may have gone since its operation was carried out with the same key.
    if (!plan || records.length === 0) {
      return `${text}{}`
    }
    isSensitive ||= records.some((record) => showsSensitive(plan.view, record))
    return `${writeFirst(`${text}{"data":`, records, resourceWriter(service.root, plan.view))}}`
  })
  return {
    status: 200,
    headers: [],
    cacheControl: isSensitive ? noStore : cacheControl,
    body: `${body}}`,
    mediaType: withExtension(atomicExtension),
  }
}
