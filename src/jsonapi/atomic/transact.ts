import type { WriteOperation } from '../declare/operation.ts'
import { jsonapi, withExtension } from '../json.ts'
import { type Answer, noStore, resourceWriter, writeArray, writeFirst } from '../run/render.ts'
import { readOf, type Service, showsSensitive, type ValidRequest, viewOf } from '../run/views.ts'
import { editOf, make } from '../run/write-operation.ts'
import { atomicExtension, maxLinks } from './extension.ts'

/** `Cache-Control` of the answer: a cache must ask the service before it uses its copy. */
const cacheControl = 'private, no-cache'

const documentStart = JSON.stringify({ ...jsonapi, ext: [atomicExtension] })

/**
 * Runs the operations of a transaction in their order, all of them or none. The answer has a result for
 * each: the added resource as it was right after its operation, or an empty object.
 *
 * @throws ApiError with the problems of the first operation that cannot be done, and pointers into the transaction
 */
export async function transact(
  service: Service,
  operations: readonly ValidRequest<WriteOperation>[],
): Promise<Answer> {
  const views = operations.map((one) =>
    one.operation === 'create' ? viewOf(service.registry, one) : undefined,
  )
  const edits = operations.map((one, index) => {
    const view = views[index]
    return editOf(one, {
      read: view && readOf(view, { kind: 'ids', ids: [one.id ?? ''] }),
      maxLinks: one.operation === 'delete' ? maxLinks : undefined,
    })
  })
  const found = (await make(service, operations, edits))[Symbol.iterator]()
  let isSensitive = false
  const start = `{"jsonapi":${documentStart},"atomic:results":`
  const body = writeArray(start, views, (text, view) => {
    const records = view ? (found.next().value?.records ?? []) : []
    // A resource may have gone since its operation was carried out with the same key.
    if (!view || records.length === 0) {
      return `${text}{}`
    }
    isSensitive ||= records.some((record) => showsSensitive(view, record))
    return `${writeFirst(`${text}{"data":`, records, resourceWriter(service.root, view))}}`
  })
  return {
    status: 200,
    headers: [],
    cacheControl: isSensitive ? noStore : cacheControl,
    body: `${body}}`,
    mediaType: withExtension(atomicExtension),
  }
}
