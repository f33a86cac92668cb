import type { Principal } from '../declare/resource.ts'
import { jsonapi, withExtension } from '../json.ts'
import type { QuerySpec } from '../request/query.ts'
import { planRead, type Service, showsSensitive } from '../run/plan.ts'
import { type Answer, noStore, resourceWriter, writeArray, writeFirst } from '../run/render.ts'
import { editOf, make, type Writable } from '../run/write-operation.ts'
import { atomicExtension, maxLinks } from './extension.ts'

/** `Cache-Control` of the answer: a cache must ask the service before it uses its copy. */
const cacheControl = 'private, no-cache'

const documentStart = JSON.stringify({ ...jsonapi, ext: [atomicExtension] })

/** All fields of an added resource, as the answer to a create shows them. */
const everything: QuerySpec = {
  include: undefined,
  fields: new Map(),
  filter: {},
  sort: [],
  page: { limit: undefined, offset: 0, after: undefined, strategy: 'none', scope: '' },
}

/**
 * Runs the operations of a transaction in their order, all of them or none. The answer has a result for
 * each: the added resource as it was right after its operation, or an empty object.
 *
 * @throws ApiError with the problems of the first operation that cannot be done, and pointers into the transaction
 */
export async function transact(
  service: Service,
  operations: readonly Writable[],
  principal: Principal,
): Promise<Answer> {
  const plans = operations.map(({ operation, definition, id }) => {
    const from = { kind: 'ids', ids: [id] } as const
    const isAdded = operation === 'create'
    const request = { subject: definition, principal, query: everything }
    return isAdded ? planRead(service.registry, request, from) : undefined
  })
  const edits = operations.map((operation, index) =>
    editOf(
      {
        ...operation,
        maxLinks: operation.operation === 'delete' ? maxLinks : undefined,
        read: plans[index]?.read,
      },
      principal,
    ),
  )
  const found = (await make(service, operations, edits))[Symbol.iterator]()
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
