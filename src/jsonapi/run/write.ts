import { operations, type WriteOperation } from '../declare/operation.ts'
import { newIdOf, ruleOf } from '../declare/resource.ts'
import { type ListedTags, revisionsOf } from '../request/conditions.ts'
import type { Payload } from '../request/payload.ts'
import { ofRequest } from '../request/places.ts'
import type { QuerySpec } from '../request/query.ts'
import { editOf, type Writable } from './edit.ts'
import { type Answer, answer, planRead, type Request, type Service } from './read.ts'
import { preconditionFailed, refused } from './refused.ts'
import { pathOf } from './render.ts'
import type { Edit, Found } from './store.ts'

/** What a write operation brings beside its path and query. */
export interface Sent {
  readonly payload: Payload
  /** What `If-Match` lists, where it was sent. */
  readonly ifMatch?: ListedTags | undefined
}

/**
 * Runs a write operation: everything it says or nothing.
 *
 * @throws ApiError NOT_FOUND for the resource, INSUFFICIENT_ENTITLEMENTS for one of somebody else's, PRECONDITION_FAILED
 * for one that has none of the revisions in `If-Match`, NOT_FOUND for each linkage target that does not exist, CONFLICT
 * for a value that must be unique, a resource that others cannot do without, or a quota that is reached, in this order
 */
export async function write(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  { payload, ifMatch = '*' }: Sent,
): Promise<Answer> {
  const { definition, operation, relationship, id = '', principal } = request
  if (operation === 'create') {
    return create(service, request, spec, { payload, ifMatch })
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
  { payload, ifMatch }: Sent,
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
  const [found] = await make(service, writable, editOf(writable, principal))
  if (!found) {
    throw new Error('A create has not read back what it wrote')
  }
  const path = pathOf(service.root, definition.type, id)
  const created = { ...request, path, search: '' }
  const made = answer(service, created, spec, reading, { found, included: [] })
  return { ...made, createdId: id, headers: [...made.headers, ['Location', path]] }
}

/** Makes one edit; gives what it has read. */
async function make({ store }: Service, writable: Writable, edit: Edit): Promise<readonly Found[]> {
  const outcome = await store.write([edit])
  if (outcome.kind !== 'done') {
    throw refused(writable, outcome, ofRequest)
  }
  return outcome.found
}
