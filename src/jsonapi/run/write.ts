import type { WriteOperation } from '../declare/operation.ts'
import { successOf } from '../declare/registry.ts'
import { newIdOf } from '../declare/resource.ts'
import { ApiError, type Problem } from '../errors.ts'
import { createdBefore, gone, type IdempotencyKey, replayHeaders } from '../idempotency.ts'
import type { Payload } from '../request/body.ts'
import type { QuerySpec } from '../request/query.ts'
import { editOf } from './edit.ts'
import { planRead, type Request, type Service } from './plan.ts'
import type { Edit, Outcome, Refusal } from './port.ts'
import { preconditionFailed, refusalProblems } from './refusal.ts'
import { type Answer, answer, pathOf } from './render.ts'

/** What a write request holds beside its path and query. */
export interface Sent extends Pick<Edit, 'ifMatch' | 'ifNoneMatch'> {
  readonly payload: Payload
  /** The key of a create, where one was sent. */
  readonly key?: IdempotencyKey | undefined
}

/**
 * Runs a write operation completely or not at all. The first reason of the following that applies is thrown.
 *
 * @throws ApiError CONFLICT for a key that another request has used, or whose resource is gone; NOT_FOUND for the resource;
 * INSUFFICIENT_ENTITLEMENTS for a resource that somebody else owns; PRECONDITION_FAILED where `If-Match` or `If-None-Match` does not
 * hold; NOT_FOUND for each target of linkage that does not exist; CONFLICT for a unique value that another resource has, or a quota that is reached
 */
export async function write(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  sent: Sent,
): Promise<Answer> {
  const { definition, operation, relationship, id = '', principal } = request
  const { payload, ifMatch, ifNoneMatch } = sent
  if (operation === 'create') {
    return create(service, request, spec, sent)
  }
  const writable = { definition, operation, relationship, id, payload }
  const edit = editOf(writable, principal, { ifMatch, ifNoneMatch })
  await make(service, [edit], (refusal) => refusalProblems(service.root, writable, refusal))
  return {
    ...successOf(request),
    cacheControl: definition.cacheControl,
    revision: operation === 'delete' ? undefined : edit.revision,
  }
}

/** The answer to a create, and to its replay, is the resource as it is now, with its path in `Location`. */
async function create(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  { payload, ifMatch, ifNoneMatch, key }: Sent,
): Promise<Answer> {
  const { definition, operation, relationship, principal } = request
  if (ifMatch) {
    throw preconditionFailed(
      'If-Match',
      'If-Match can only be * on a create: an entity tag names the state of a resource that exists already.',
    )
  }
  if (ifNoneMatch === '*') {
    throw preconditionFailed(
      'If-None-Match',
      'If-None-Match cannot be * on a create: the collection that it adds to exists.',
    )
  }
  const planOf = (id: string) => planRead(service, request, spec, { kind: 'ids', ids: [id] })
  const newId = newIdOf(definition)
  const newPlan = planOf(newId)
  const writable = { definition, operation, relationship, id: newId, payload }
  const edit = editOf(writable, principal, { read: newPlan.read })
  const outcome = await make(
    service,
    [edit],
    (refusal) => refusalProblems(service.root, writable, refusal),
    key,
  )
  const isUsed = outcome.kind === 'used'
  const [id = ''] = isUsed ? await createdBefore(key, outcome) : [newId]
  const plan = isUsed ? planOf(id) : newPlan
  const [found] = isUsed ? await service.store.read([plan.read]) : outcome.found
  if (!found) {
    throw new Error('The store gave no result for a create')
  }
  if (isUsed && found.records.length === 0) {
    throw gone(definition.type)
  }
  const path = pathOf(service.root, definition.type, id)
  const created = { ...request, path, search: '' }
  const made = answer(service, created, spec, plan, { found, included: [] })
  const replay = isUsed ? replayHeaders([newId], [id]) : []
  return { ...made, createdId: id, headers: [...made.headers, ['Location', path], ...replay] }
}

/**
 * Makes edits, all or none of them.
 *
 * @param problemsOf gives the problems if the store refuses them
 */
export async function make(
  { store }: Service,
  edits: readonly Edit[],
  problemsOf: (refusal: Refusal) => readonly Problem[],
  key?: IdempotencyKey,
): Promise<Exclude<Outcome, Refusal>> {
  const outcome = await store.write(edits, key)
  if (outcome.kind !== 'refused') {
    return outcome
  }
  throw new ApiError(problemsOf(outcome))
}
