import { jsonapi, withExtension } from '../json.ts'
import { noStore, resourceObject } from '../run/render.ts'
import { readOf, type Service, showsSensitive, viewOf } from '../run/views.ts'
import { commit, editOf, problemOf } from '../run/write-operation.ts'
import { atomicExtension, maxLinks } from './extension.ts'
import type { TransactionOperation } from './reader.ts'

/** `Cache-Control` of the answer: a cache must ask the service before it uses its copy. */
const cacheControl = 'private, no-cache'

/**
 * Runs the operations of a transaction in their order, all of them or none. The answer has a result for
 * each: the added resource as it was right after its operation, or an empty object.
 *
 * @throws ApiError with the problems of the first operation that cannot be done, and pointers into the transaction
 */
export async function transact(service: Service, operations: readonly TransactionOperation[]) {
  const views = operations.map((one) =>
    one.operation === 'create' ? viewOf(service.registry, one) : undefined,
  )
  const edits = operations.map((one, index) => {
    const view = views[index]
    return editOf(one, {
      read: view && readOf(view, { kind: 'ids', ids: [one.id] }),
      maxLinks: one.operation === 'delete' ? maxLinks : undefined,
    })
  })
  const found = await commit(service, edits, (fault, at) => {
    const operation = operations[at] as TransactionOperation
    return operation.place(problemOf(service.root, operation, fault, operation.nameOf))
  })
  // Only the added resources are read.
  const added = views.filter((view) => view !== undefined)
  const records = new Map(added.map((view, nth) => [view, found[nth]?.records[0]]))
  let isSensitive = false
  const results = views.map((view) => {
    const record = view && records.get(view)
    // The resource may be gone if this is the replay of an earlier transaction.
    if (!view || !record) {
      return {}
    }
    isSensitive ||= showsSensitive(view, record)
    return { data: resourceObject(service.root, view, record) }
  })
  const document = { jsonapi: { ...jsonapi, ext: [atomicExtension] }, 'atomic:results': results }
  return {
    status: 200,
    headers: [],
    cacheControl: isSensitive ? noStore : cacheControl,
    body: JSON.stringify(document),
    mediaType: withExtension(atomicExtension),
  }
}
