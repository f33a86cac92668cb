import { operations, type WriteOperation } from '../declare/operation.ts'
import { successOf } from '../declare/registry.ts'
import { allows } from '../declare/resource.ts'
import {
  ApiError,
  type ErrorSource,
  faultCodes,
  nameById,
  type Problem,
  quote,
} from '../problems.ts'
import { linkagePointer } from '../request/body.ts'
import type { Edit, Fault, Found } from './port.ts'
import { type Answer, answer, pathOf } from './render.ts'
import { readOf, type Service, type ValidRequest, viewOf } from './views.ts'

/** The revisions of the resource that a request demands or excludes. */
type Preconditions = Pick<Edit, 'ifMatch' | 'ifNoneMatch'>

/**
 * Runs a write operation completely or not at all. Throws the first of these reasons that applies.
 *
 * @throws ApiError NOT_FOUND for the resource; INSUFFICIENT_ENTITLEMENTS for a resource that somebody else owns; PRECONDITION_FAILED
 * if `If-Match` or `If-None-Match` does not hold; NOT_FOUND for each target of linkage that does not exist; CONFLICT for a unique
 * value that another resource has, or a quota that is reached
 */
export async function runWrite(
  service: Service,
  request: ValidRequest<WriteOperation>,
  preconditions: Preconditions,
): Promise<Answer> {
  const { definition, operation } = request
  if (operation === 'create') {
    return create(service, request, preconditions)
  }
  const edit = editOf(request, preconditions)
  await commitOne(service, request, edit)
  return {
    ...successOf(request),
    cacheControl: definition.cacheControl,
    revision: operation === 'delete' ? undefined : edit.revision,
  }
}

/** The answer to a create is the resource, with its path in `Location`. */
async function create(
  service: Service,
  request: ValidRequest<WriteOperation>,
  { ifMatch, ifNoneMatch }: Preconditions,
): Promise<Answer> {
  const { definition } = request
  if (ifMatch) {
    const detail =
      'If-Match can only be * on a create: an entity tag names the state of a resource that exists already.'
    throw preconditionFailed('If-Match', detail)
  }
  if (ifNoneMatch === '*') {
    const detail = 'If-None-Match cannot be * on a create: the collection that it adds to exists.'
    throw preconditionFailed('If-None-Match', detail)
  }
  const view = viewOf(service.registry, request)
  const read = readOf(view, { kind: 'ids', ids: [request.id] })
  const [found] = await commitOne(service, request, editOf(request, { read }))
  const record = found?.records[0]
  if (!record) {
    throw new Error('The store gave no result for a create')
  }
  const path = pathOf(service.root, definition.type, record.id)
  const made = await answer({ ...service, target: { path, search: '' } }, request, view, found)
  return { ...made, createdId: record.id, headers: [...made.headers, ['Location', path]] }
}

/** Makes the edit of one operation. */
function commitOne(service: Service, request: ValidRequest<WriteOperation>, edit: Edit) {
  return commit(service, [edit], (fault) => problemOf(service.root, request, fault))
}

/**
 * Makes the edits of write operations, all or none of them.
 *
 * @param problemOf tells why the edit at an index cannot be made
 * @returns what the reads of the edits have found
 * @throws ApiError with the problems of the first edit that cannot be made
 */
export async function commit(
  { store }: Service,
  edits: readonly Edit[],
  problemOf: (fault: Fault, at: number) => Problem,
): Promise<readonly Found[]> {
  const outcome = await store.write(edits)
  if (outcome.kind === 'done') {
    return outcome.found
  }
  if (outcome.kind === 'used') {
    throw new Error('The store has found an earlier write, which nobody has asked for')
  }
  const { faults, at } = outcome
  throw new ApiError(faults.map((fault) => problemOf(fault, at)))
}

/** The edit that carries out a valid write operation, with its conditions and what is read after it. */
export function editOf(
  { definition, operation, rule, principal, id, payload }: ValidRequest<WriteOperation>,
  more: Preconditions & Pick<Edit, 'maxLinks' | 'read'>,
): Edit {
  // A caller who needs no ownership may write any resource of the type. A new resource belongs to its creator.
  const isAnyones = operation !== 'create' && allows(rule.access, principal, false)
  const linkage = Object.entries(payload.relationships).map(([name, sent]) => [
    name,
    // What is sent twice counts once.
    [...new Map(sent.map((one) => [one.id, one])).values()],
  ])
  return {
    type: definition.type,
    id,
    kind: operations[operation].edit,
    attributes: payload.attributes,
    relationships: Object.fromEntries(linkage),
    owner: isAnyones ? null : principal.id,
    revision: newRevision(),
    ...more,
  }
}

/**
 * Makes the revision of a new edit: 96 random bits of a UUID (RFC 9562, section 5.4) as 24 hexadecimal digits, so that nobody can guess
 * one, and no two edits make the same.
 */
function newRevision(): string {
  const uuid = crypto.randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24)
}

/** The error of a condition that does not hold. */
export function preconditionFailed(header: 'If-Match' | 'If-None-Match', detail: string): ApiError {
  return ApiError.of(faultCodes.stale, detail, { header })
}

/** The problem of a write operation that the store has refused. */
export function problemOf(
  root: string,
  operation: ValidRequest<WriteOperation>,
  fault: Fault,
  nameOf = nameById,
): Problem {
  const { definition, relationship: endpoint, id, payload } = operation
  const { member, value } = nameOf(id)
  const subject = `resource of type ${definition.type} with the ${member} ${quote(value)}`
  const problem = (detail: string, source: ErrorSource): Problem => ({
    code: faultCodes[fault.kind],
    detail,
    source,
  })
  switch (fault.kind) {
    case 'absent':
      return problem(`There is no ${subject}.`, { path: 'id' })
    case 'foreign':
      return problem(`Only its owner may change the ${subject}.`, { path: 'id' })
    case 'stale':
      return fault.condition === 'ifMatch'
        ? problem(
            `If-Match names no current state of the ${subject}. Read it again, and send the ETag of that answer, with its quotes.`,
            { header: 'If-Match' },
          )
        : problem(`If-None-Match names the current state of the ${subject}.`, {
            header: 'If-None-Match',
          })
    case 'linked':
      return problem(
        `The ${subject} is named by more than ${fault.max} members of relationships, too many to delete it in a transaction. Send DELETE ${pathOf(root, definition.type, id)} as a request of its own.`,
        { path: 'id' },
      )
    case 'dangling': {
      const declared = definition.relationships[fault.relationship]
      const sent = payload.relationships[fault.relationship] ?? []
      const index = sent.findIndex((member) => member.id === fault.id)
      const item = declared?.cardinality === 'many' ? `/${index}` : ''
      const linkage = linkagePointer(fault.relationship, endpoint !== undefined)
      const { member, value } = nameOf(fault.id)
      const detail = `There is no resource of type ${declared?.target} with the ${member} ${quote(value)}.`
      return problem(detail, { pointer: `${linkage}${item}/${member}` })
    }
    case 'taken':
      return problem(`Another resource has this ${fault.attribute}.`, {
        pointer: `/data/attributes/${fault.attribute}`,
      })
    case 'full':
      return fault.relationship === undefined
        ? problem(
            `A person owns at most ${fault.max} resources of type ${definition.type}. Delete one to make room.`,
            { pointer: '/data' },
          )
        : problem(
            `The relationship ${fault.relationship} can have at most ${fault.max} members, and this request would make it more.`,
            { pointer: linkagePointer(fault.relationship, endpoint !== undefined) },
          )
  }
}
