import { allows } from '../declare/access.ts'
import { operations, type WriteOperation } from '../declare/operation.ts'
import { ruleOf } from '../declare/resource.ts'
import { ApiError, type Problem } from '../errors.ts'
import { linkagePointer, type Payload } from '../request/payload.ts'
import type { QuerySpec } from '../request/query.ts'
import { quote } from '../validate.ts'
import { createdBefore, gone, type IdempotencyKey, replayed } from './idempotency.ts'
import {
  type Answer,
  absent,
  answer,
  planRead,
  type Reading,
  type Request,
  type Service,
} from './read.ts'
import { pathOf } from './render.ts'
import type { Change, Found, Outcome } from './store.ts'

/**
 * Runs a write operation: everything it says or nothing.
 *
 * @throws ApiError NOT_FOUND for the resource, INSUFFICIENT_ENTITLEMENTS for one of somebody else's, NOT_FOUND
 * for each linkage target that does not exist, CONFLICT for a value that must be unique, a resource that others
 * cannot do without, or a quota that is reached, in this order; before them CONFLICT for a key that another request has used,
 * or whose resource is gone
 */
export async function write(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  payload: Payload,
  key?: IdempotencyKey,
): Promise<Answer> {
  const { definition, operation, relationship, principal } = request
  if (operation === 'create') {
    return create(service, request, spec, payload, key)
  }
  const rule = ruleOf(definition, operation, relationship)
  // Whom the rule lets in without owning the resource may write any.
  const owner = rule && allows(rule.access, principal, false) ? null : principal.id
  const outcome = await service.store.write(definition.type, changeOf(request, payload), owner)
  if (outcome.kind !== 'done') {
    throw refusal(request, payload, outcome)
  }
  return {
    status: rule?.status ?? operations[operation].status,
    headers: rule?.headers ?? [],
    cacheControl: definition.cacheControl,
  }
}

async function create(
  service: Service,
  request: Request<WriteOperation>,
  spec: QuerySpec,
  payload: Payload,
  key: IdempotencyKey | undefined,
): Promise<Answer> {
  const { definition, principal } = request
  const id = definition.newId?.()
  if (id === undefined) {
    throw new Error(`${definition.type} can be created, but makes no ids`)
  }
  const reading = planRead(service, request, spec, { kind: 'ids', ids: [id] })
  const outcome = await service.store.write(
    definition.type,
    { kind: 'create', id, ...payload, read: reading.read },
    principal.id,
    key,
  )
  if (key && outcome.kind === 'used') {
    const [before = ''] = await createdBefore(key, outcome)
    const made = await createdEarlier(service, request, spec, before)
    // Its own id: an earlier attempt of this request was carried out, and only its answer lost.
    return before === id ? made : { ...made, headers: [...made.headers, replayed] }
  }
  if (outcome.kind !== 'done' || !outcome.found) {
    throw refusal(request, payload, outcome)
  }
  return created(service, request, spec, id, reading, outcome.found)
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

function changeOf(
  { operation, id = '', relationship = '' }: Request<WriteOperation>,
  { attributes, relationships }: Payload,
): Change {
  const members = relationships[relationship] ?? []
  switch (operation) {
    case 'delete':
      return { kind: 'delete', id }
    case 'addMany':
      return { kind: 'add', id, relationship, members }
    case 'removeMany':
      return { kind: 'remove', id, relationship, members }
    case 'replaceMany':
      return { kind: 'replace', id, relationship, members }
    default:
      // A to-one is part of its resource: replacing its linkage updates the resource.
      return { kind: 'update', id, attributes, relationships }
  }
}

function refusal(request: Request<WriteOperation>, payload: Payload, outcome: Outcome): Error {
  const { definition, id = '' } = request
  switch (outcome.kind) {
    case 'absent':
      return absent(definition.type, id)
    case 'foreign':
      return ApiError.of(
        'INSUFFICIENT_ENTITLEMENTS',
        `Only its owner may change the resource of type ${definition.type} with the id ${quote(id)}.`,
        { path: 'id' },
      )
    case 'needed':
      return ApiError.of('CONFLICT', `Other resources need ${definition.type} ${quote(id)}.`, {
        path: 'id',
      })
    case 'dangling':
      return new ApiError(
        asProblems(outcome.targets.map((target) => missing(request, payload, target))),
      )
    case 'taken':
      return new ApiError(
        asProblems(
          outcome.attributes.map((name) => ({
            code: 'CONFLICT',
            detail: `Another resource has this ${name}.`,
            source: { pointer: `/data/attributes/${name}` },
          })),
        ),
      )
    case 'full':
      return exceeded(request, outcome)
    case 'used':
      return new Error('A key is used that the request does not have')
    case 'done':
      return new Error('A create has not read back what it wrote')
  }
}

function exceeded(
  { definition, relationship: endpoint }: Request<WriteOperation>,
  { relationship, most }: Extract<Outcome, { readonly kind: 'full' }>,
): ApiError {
  return relationship === undefined
    ? ApiError.of(
        'CONFLICT',
        `A person owns at most ${most} resources of type ${definition.type}. Delete one to make room.`,
        { pointer: '/data' },
      )
    : ApiError.of(
        'CONFLICT',
        `The relationship ${relationship} has at most ${most} members, and would have more.`,
        { pointer: linkagePointer(relationship, endpoint !== undefined) },
      )
}

function missing(
  { definition, relationship: endpoint }: Request<WriteOperation>,
  { relationships }: Payload,
  { relationship, id }: { readonly relationship: string; readonly id: string },
): Problem {
  const declared = definition.relationships[relationship]
  const index = relationships[relationship]?.findIndex((member) => member.id === id) ?? -1
  const at = declared?.cardinality === 'many' ? `/${index}` : ''
  return {
    code: 'NOT_FOUND',
    detail: `There is no resource of type ${declared?.target} with the id ${quote(id)}.`,
    source: { pointer: `${linkagePointer(relationship, endpoint !== undefined)}${at}/id` },
  }
}

function asProblems(problems: readonly Problem[]): readonly [Problem, ...Problem[]] {
  const [first, ...rest] = problems
  if (!first) {
    throw new Error('A refusal names nothing')
  }
  return [first, ...rest]
}
