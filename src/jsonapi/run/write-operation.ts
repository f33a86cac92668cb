import type { WriteOperation } from '../declare/operation.ts'
import { successOf } from '../declare/registry.ts'
import {
  allows,
  newIdOf,
  type Principal,
  type ResourceDefinition,
  ruleOf,
} from '../declare/resource.ts'
import { ApiError, type ErrorSource, faultCodes, type Problem, quote } from '../problems.ts'
import { linkagePointer, type Payload } from '../request/body.ts'
import type { QuerySpec } from '../request/query.ts'
import { planRead, type Request, type Service } from './plan.ts'
import type { Edit, Fault, Found, Refusal } from './port.ts'
import { absent } from './read-operation.ts'
import { type Answer, answer, pathOf } from './render.ts'

/** What a write request holds beside its path and query. */
export interface Sent extends Pick<Edit, 'ifMatch' | 'ifNoneMatch'> {
  readonly payload: Payload
}

/**
 * Runs a write operation completely or not at all. The first reason of the following that applies is thrown.
 *
 * @throws ApiError NOT_FOUND for the resource; INSUFFICIENT_ENTITLEMENTS for a resource that somebody else owns; PRECONDITION_FAILED where `If-Match` or `If-None-Match` does not
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

/** The answer to a create is the resource, with its path in `Location`. */
async function create(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  { payload, ifMatch, ifNoneMatch }: Sent,
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
  const id = newIdOf(definition)
  const plan = planRead(service, request, spec, { kind: 'ids', ids: [id] })
  const writable = { definition, operation, relationship, id, payload }
  const edit = editOf(writable, principal, { read: plan.read })
  const [found] = await make(service, [edit], (refusal) =>
    refusalProblems(service.root, writable, refusal),
  )
  const record = found?.records[0]
  if (!record) {
    throw new Error('The store gave no result for a create')
  }
  const path = pathOf(service.root, definition.type, record.id)
  const created = { ...request, path, search: '' }
  const made = answer(service, created, spec, plan, { found, included: [] })
  return { ...made, createdId: record.id, headers: [...made.headers, ['Location', path]] }
}

/**
 * Makes edits, all or none of them.
 *
 * @param problemsOf gives the problems if the store refuses them
 * @returns what the reads of the edits have found
 */
export async function make(
  { store }: Service,
  edits: readonly Edit[],
  problemsOf: (refusal: Refusal) => readonly Problem[],
): Promise<readonly Found[]> {
  const outcome = await store.write(edits)
  switch (outcome.kind) {
    case 'done':
      return outcome.found
    case 'refused':
      throw new ApiError(problemsOf(outcome))
    case 'used':
      throw new Error('The store has found an earlier write, but this one has no guard')
  }
}

/** A valid write operation, of a request of its own or of a transaction. */
export interface Writable {
  readonly definition: ResourceDefinition
  readonly operation: WriteOperation
  readonly relationship: string | undefined
  /** The id of its resource; a new one for a create. */
  readonly id: string
  readonly payload: Payload
}

/** What each write operation does to its resource. A PATCH of a relationship is an update of its resource. */
const kinds: Readonly<Record<WriteOperation, Edit['kind']>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  replaceOne: 'update',
  replaceMany: 'update',
  addMany: 'add',
  removeMany: 'remove',
}

/** The edit that carries out a valid write operation. `further` adds conditions, and what to read afterwards. */
export function editOf(
  { definition, operation, relationship, id, payload }: Writable,
  principal: Principal,
  further: Pick<Edit, 'ifMatch' | 'ifNoneMatch' | 'maxLinks' | 'read'> = {},
): Edit {
  const rule = ruleOf(definition, operation, relationship)
  // A caller who needs no ownership may write any resource of the type. A new resource belongs to its creator.
  const isAnyones = operation !== 'create' && rule && allows(rule.access, principal, false)
  const linkage = Object.entries(payload.relationships).map(([name, sent]) => [
    name,
    // What is sent twice counts once.
    [...new Map(sent.map((one) => [one.id, one])).values()],
  ])
  return {
    type: definition.type,
    id,
    kind: kinds[operation],
    attributes: payload.attributes,
    relationships: Object.fromEntries(linkage),
    owner: isAnyones ? null : principal.id,
    revision: newRevision(),
    ...further,
  }
}

/**
 * Makes the revision of a new edit: 96 random bits of a UUID (RFC 9562, section 5.4) as 24 hexadecimal digits, so that nobody can guess
 * one, and no two edits make the same. To fill an array with random bytes costs several times as much.
 */
function newRevision(): string {
  const uuid = crypto.randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24)
}

/** The error of a condition that does not hold. */
export function preconditionFailed(header: 'If-Match' | 'If-None-Match', detail: string): ApiError {
  return ApiError.of(faultCodes.stale, detail, { header })
}

/**
 * The problems of a write operation that the store has refused.
 *
 * @param root the root path
 */
export function refusalProblems(
  root: string,
  writable: Writable,
  { faults }: Refusal,
): readonly Problem[] {
  return faults.flatMap((fault) => problemsOf(root, writable, fault))
}

function problemsOf(root: string, writable: Writable, fault: Fault): readonly Problem[] {
  const { definition, relationship: endpoint, id, payload } = writable
  const code = faultCodes[fault.kind]
  const subject = `resource of type ${definition.type} with the id ${quote(id)}`
  const resource: ErrorSource = { path: 'id' }
  const at = (pointer: string): ErrorSource => ({ pointer })
  switch (fault.kind) {
    case 'absent':
      return absent(definition.type, id).problems
    case 'foreign':
      return [{ code, detail: `Only its owner may change the ${subject}.`, source: resource }]
    case 'stale':
      return (
        fault.condition === 'ifMatch'
          ? preconditionFailed(
              'If-Match',
              `If-Match names no current state of the ${subject}. Read it again, and send the ETag of that answer, with its quotes.`,
            )
          : preconditionFailed(
              'If-None-Match',
              `If-None-Match names the current state of the ${subject}.`,
            )
      ).problems
    case 'linked': {
      const path = pathOf(root, definition.type, id)
      const detail = `The ${subject} is named by more than ${fault.max} members of relationships, too many to delete it in a transaction. Send DELETE ${path} as a request of its own.`
      return [{ code, detail, source: resource }]
    }
    case 'dangling': {
      const { relationship, id } = fault
      const declared = definition.relationships[relationship]
      const index = payload.relationships[relationship]?.findIndex((member) => member.id === id)
      const member = declared?.cardinality === 'many' ? `/${index}` : ''
      const linkage = linkagePointer(relationship, endpoint !== undefined)
      const detail = `There is no resource of type ${declared?.target} with the id ${quote(id)}.`
      return [{ code, detail, source: at(`${linkage}${member}/id`) }]
    }
    case 'taken': {
      const { attribute } = fault
      const detail = `Another resource has this ${attribute}.`
      return [{ code, detail, source: at(`/data/attributes/${attribute}`) }]
    }
    case 'full': {
      const { relationship, max } = fault
      const [detail, pointer] =
        relationship === undefined
          ? [
              `A person owns at most ${max} resources of type ${definition.type}. Delete one to make room.`,
              '/data',
            ]
          : [
              `The relationship ${relationship} can have at most ${max} members, and this request would make it more.`,
              linkagePointer(relationship, endpoint !== undefined),
            ]
      return [{ code, detail, source: at(pointer) }]
    }
  }
}
