import type { Principal } from '../declare/resource.ts'
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
 * @throws ApiError with the problems of the first operation that cannot be done, and pointers into the transaction
 */
export async function transact(
  service: Service,
  operations: readonly TransactionOperation[],
  principal: Principal,
): Promise<Answer> {
  const plans = plansOf(service, operations, principal)
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
  return answerOf(service, operations, plans, await make(service, edits, problemsOf))
}

/** The reads of the added resources, by the operations that add them. */
type ReadPlans = ReadonlyMap<TransactionOperation, ReadPlan>

/** Makes the reads of added resources, which show them like the answer to a create. */
function plansOf(
  service: Service,
  operations: readonly TransactionOperation[],
  principal: Principal,
): ReadPlans {
  const everything = { include: undefined, fields: new Map() }
  const adds = operations.filter(({ operation }) => operation === 'create')
  return new Map(
    adds.map((add) => {
      const from = { kind: 'ids', ids: [add.id] } as const
      return [add, planRead(service, { definition: add.definition, principal }, everything, from)]
    }),
  )
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
