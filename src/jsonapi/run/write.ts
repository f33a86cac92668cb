import { operations, type WriteOperation } from '../declare/operation.ts'
import { newIdOf, ruleOf } from '../declare/resource.ts'
import { type ListedTags, revisionsOf } from '../request/conditions.ts'
import type { Payload } from '../request/payload.ts'
import { ofRequest } from '../request/places.ts'
import type { QuerySpec } from '../request/query.ts'
import { editOf, type Writable } from './edit.ts'
import { createdBefore, gone, type IdempotencyKey, replayed } from './idempotency.ts'
import { type Answer, answer, planRead, type Reading, type Request, type Service } from './read.ts'
import { preconditionFailed, refused } from './refused.ts'
import { pathOf } from './render.ts'
import type { Edit, Found, Outcome, Refusal } from './store.ts'

/** What a write operation brings beside its path and query. */
export interface Sent {
  readonly payload: Payload
  /** What `If-Match` lists, where it was sent. */
  readonly ifMatch?: ListedTags | undefined
  /** The key of a create, where one was sent. */
  readonly key?: IdempotencyKey | undefined
}

/**
 * Runs a write operation: everything it says or nothing.
 *
 * @throws ApiError NOT_FOUND for the resource, INSUFFICIENT_ENTITLEMENTS for one of somebody else's, PRECONDITION_FAILED
 * for one that has none of the revisions in `If-Match`, NOT_FOUND for each linkage target that does not exist, CONFLICT
 * for a value that must be unique, a resource that others cannot do without, or a quota that is reached, in this order;
 * before them CONFLICT for a key that another request has used, or whose resource is gone
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
      `If-Match names states of single resources, and a create changes none: nothing that is listed can match.`,
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
    // Its own id: an earlier attempt of this request was carried out, and only its answer lost.
    return before === id ? made : { ...made, headers: [...made.headers, replayed] }
  }
  const [found] = outcome.found
  if (!found) {
    throw new Error('A create has not read back what it wrote')
  }
  return created(service, request, spec, id, reading, found)
}

/** Answers a create with a resource that is there already, as it is now (contract, section 12). */
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

/** The answer to a create: the resource, and where it is. */
async function created(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  id: string,
  reading: Reading,
  found: Found,
): Promise<Answer> {
  const path = pathOf(service.root, request.definition.type, id)
  const made = await answer(service, { ...request, path, search: '' }, spec, reading, {
    found,
    included: [],
  })
  return { ...made, createdId: id, headers: [...made.headers, ['Location', path]] }
}

/** Makes one edit, unless its key is used. */
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
