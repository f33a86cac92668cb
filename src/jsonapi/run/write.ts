import { operations, type WriteOperation } from '../declare/operation.ts'
import { newIdOf, ruleOf } from '../declare/resource.ts'
import { type ListedTags, revisionsOf } from '../request/conditions.ts'
import type { Payload } from '../request/payload.ts'
import { ofRequest } from '../request/places.ts'
import type { QuerySpec } from '../request/query.ts'
import { editOf, type Writable } from './edit.ts'
import { createdBefore, gone, type IdempotencyKey, replayed } from './idempotency.ts'
import type { Reading } from './load.ts'
import { type Answer, answer, planRead, type Request, type Service } from './read.ts'
import { preconditionFailed, refused } from './refused.ts'
import { pathOf } from './render.ts'
import type { Edit, Found, Outcome, Refusal } from './store.ts'

/** What a write request holds beside its path and query. */
export interface Sent {
  readonly payload: Payload
  /** The tags that `If-Match` lists, where it was sent. */
  readonly ifMatch?: ListedTags | undefined
  /** The key of a create, where one was sent. */
  readonly key?: IdempotencyKey | undefined
}

/**
 * Runs a write operation completely or not at all. The first reason of the following that applies is thrown.
 *
 * @throws ApiError CONFLICT for a key that another request has used, or whose resource is gone; NOT_FOUND for the resource;
 * INSUFFICIENT_ENTITLEMENTS for a resource that somebody else owns; PRECONDITION_FAILED where the resource has none of the
 * revisions in `If-Match`; FULL_REPLACEMENT_NOT_SUPPORTED for members that are not shown; NOT_FOUND for each target of linkage
 * that does not exist; CONFLICT for a unique value that is taken, a resource that others need, or a quota that is reached
 */
export async function write(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  { payload, ifMatch = '*', key }: Sent,
): Promise<Answer> {
  const { definition, operation, relationship, id = '', principal } = request
  if (operation === 'create') {
    return create(service, request, spec, { payload, ifMatch, key })
  }
  const rule = ruleOf(definition, operation, relationship)
  const writable = { definition, operation, relationship, id, payload }
  const edit = editOf(writable, principal, ifMatch === '*' ? undefined : revisionsOf(ifMatch))
  await make(service, writable, edit)
  return {
    status: rule?.status ?? operations[operation].status,
    headers: rule?.headers ?? [],
    cacheControl: definition.cacheControl,
    revision: operation === 'delete' ? undefined : edit.revision,
  }
}

async function create(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  { payload, ifMatch, key }: Sent,
): Promise<Answer> {
  const { definition, principal } = request
  if (ifMatch !== '*') {
    throw preconditionFailed(
      'If-Match can only be * on a create: an entity tag names the state of a resource that exists already.',
    )
  }
  const id = newIdOf(definition)
  const reading = planRead(service, request, spec, { kind: 'ids', ids: [id] })
  const { read } = reading
  const writable = {
    definition,
    operation: request.operation,
    relationship: undefined,
    id,
    payload,
    read,
  }
  const outcome = await make(service, writable, editOf(writable, principal), key)
  if (outcome.kind === 'used') {
    const [before = ''] = await createdBefore(key, outcome)
    const made = await createdEarlier(service, request, spec, before)
    // The id is that of this request where an earlier attempt of it was carried out and its answer was lost.
    return before === id ? made : { ...made, headers: [...made.headers, replayed] }
  }
  const [found] = outcome.found
  if (!found) {
    throw new Error('The store gave no result for a create')
  }
  return created(service, request, spec, id, reading, found)
}

/** The answer to a replay of a create: the resource as it is now (contract, section 12). */
async function createdEarlier(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  id: string,
): Promise<Answer> {
  const reading = planRead(service, request, spec, { kind: 'ids', ids: [id] })
  const [found] = await service.store.read([reading.read])
  if (found.records.length === 0) {
    throw gone(request.definition.type)
  }
  return created(service, request, spec, id, reading, found)
}

/** The answer to a create: the new resource, with its path in `Location`. */
function created(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  id: string,
  reading: Reading,
  found: Found,
): Answer {
  const path = pathOf(service.root, request.definition.type, id)
  const made = answer(service, { ...request, path, search: '' }, spec, reading, {
    found,
    included: [],
  })
  return { ...made, createdId: id, headers: [...made.headers, ['Location', path]] }
}

/**
 * Makes one edit.
 *
 * @throws ApiError the reason where the store refuses it
 */
async function make(
  { root, store }: Service,
  writable: Writable,
  edit: Edit,
  key?: IdempotencyKey,
): Promise<Exclude<Outcome, Refusal>> {
  const outcome = await store.write([edit], key)
  if (outcome.kind === 'done' || outcome.kind === 'used') {
    return outcome
  }
  throw refused(root, writable, outcome, ofRequest)
}
