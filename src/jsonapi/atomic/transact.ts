import type { Principal } from '../declare/resource.ts'
import { createdBefore, type IdempotencyKey, replayHeaders } from '../idempotency.ts'
import { jsonapi, withExtension } from '../json.ts'
import type { Problem } from '../problems.ts'
import { planRead, type ReadPlan, type Service, showsSensitive } from '../run/plan.ts'
import type { Found, Refusal } from '../run/port.ts'
import { type Answer, noStore, resourceWriter, writeArray, writeFirst } from '../run/render.ts'
import { editOf, make, refusalProblems } from '../run/write-operation.ts'
import { atomicExtension, maxLinks } from './extension.ts'
import type { TransactionOperation } from './reader.ts'

/** The status of a transaction that was carried out. */
const status = 200

/** `Cache-Control` of the answer: a cache must ask the service before it uses its copy. */
const cacheControl = 'private, no-cache'

const documentStart = JSON.stringify({ ...jsonapi, ext: [atomicExtension] })

/**
 * Runs the operations of a transaction in their order, all of them or none. The answer has a result for
 * each: the added resource as it was right after its operation, or an empty object.
 *
 * @param key where this request has been carried out with the key before, its answer holds the added resources as they are now
 * @throws ApiError CONFLICT for a key that another request has used; otherwise the error of the first operation that cannot be
 * done, with pointers into the transaction
 */
export async function transact(
  service: Service,
  operations: readonly TransactionOperation[],
  principal: Principal,
  key?: IdempotencyKey,
): Promise<Answer> {
  const added = operations.filter(({ operation }) => operation === 'create').map(({ id }) => id)
  const plans = plansOf(service, operations, added, principal)
  const edits = operations.map((operation) =>
    editOf(operation, principal, {
      maxLinks: operation.operation === 'delete' ? maxLinks : undefined,
      read: plans.get(operation)?.read,
    }),
  )
  const problemsOf = (refusal: Refusal): readonly Problem[] => {
    const refused = operations[refusal.at]
    return refused ? refusalProblems(service.root, refused, refusal).map(refused.placed) : []
  }
  const outcome = await make(service, edits, problemsOf, key)
  if (outcome.kind === 'done') {
    return answerOf(service, operations, plans, outcome.found)
  }
  const before = await createdBefore(key, outcome)
  const again = plansOf(service, operations, before, principal)
  const answer = answerOf(service, operations, again, await readAll(service, again))
  return { ...answer, headers: replayHeaders(added, before) }
}

/** The reads of the added resources, by the operations that add them. */
type ReadPlans = ReadonlyMap<TransactionOperation, ReadPlan>

/**
 * Makes the reads of added resources, which show them like the answer to a create.
 *
 * @param ids the ids of the added resources, in the order of the operations
 */
function plansOf(
  service: Service,
  operations: readonly TransactionOperation[],
  ids: readonly string[],
  principal: Principal,
): ReadPlans {
  const everything = { include: undefined, fields: new Map() }
  const adds = operations.filter(({ operation }) => operation === 'create')
  return new Map(
    adds.map((add, index) => {
      const from = { kind: 'ids', ids: ids.slice(index, index + 1) } as const
      return [add, planRead(service, { definition: add.definition, principal }, everything, from)]
    }),
  )
}

/** Runs the reads in at most one round trip. */
async function readAll({ store }: Service, plans: ReadPlans): Promise<readonly Found[]> {
  const [first, ...rest] = [...plans.values()].map(({ read }) => read)
  return first ? store.read([first, ...rest]) : []
}

/**
 * Writes the answer to a transaction: for an operation that adds a resource, that resource as its plan shows it, and for each other
 * operation, or where the resource has gone since, an empty object.
 *
 * @param found what the plans have found, in the order of the operations that add resources
 */
function answerOf(
  { root }: Service,
  operations: readonly TransactionOperation[],
  plans: ReadPlans,
  found: readonly Found[],
): Answer {
  const next = found[Symbol.iterator]()
  let isSensitive = false
  const start = `{"jsonapi":${documentStart},"atomic:results":`
  const body = writeArray(start, operations, (text, operation) => {
    const plan = plans.get(operation)
    const records = plan ? (next.next().value?.records ?? []) : []
    if (!plan || records.length === 0) {
      return `${text}{}`
    }
    isSensitive ||= records.some((record) => showsSensitive(plan.view, record))
    return `${writeFirst(`${text}{"data":`, records, resourceWriter(root, plan.view))}}`
  })
  return {
    status,
    headers: [],
    cacheControl: isSensitive ? noStore : cacheControl,
    body: `${body}}`,
    mediaType: withExtension(atomicExtension),
  }
}
