import { subjectOf } from '../declare/endpoint.ts'
import type { ReadOperation } from '../declare/operation.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import { ApiError, type ErrorSource, faultCodes } from '../errors.ts'
import { byId, type Name, nameText } from '../request/places.ts'
import type { QuerySpec } from '../request/query.ts'
import { type Graph, load } from './load.ts'
import { nextCursorOf } from './pagination.ts'
import { fromOf, planRead, type Request, type Service } from './plan.ts'
import { type Answer, answer } from './render.ts'
import { onlyId } from './store.ts'

/**
 * Runs a read operation.
 *
 * @throws ApiError NOT_FOUND when the resource does not exist; VALUE_INVALID_FORMAT when `page[offset]` is too large and lies
 * within the collection, or when include paths lead to too many resources
 */
export async function read(
  service: Service,
  request: Request<ReadOperation>,
  spec: QuerySpec,
): Promise<Answer> {
  const definition = subjectOf(service.registry, request)
  const reading = planRead(service, { ...request, definition }, spec, fromOf(request, spec))
  const graph =
    spec.page.offset > service.mostOffset
      ? await pagePastEnd(service, request.definition, spec)
      : await load(service.store, service.registry, reading)
  const { records, isOrphan = records.length === 0 } = graph.found
  if (request.operation !== 'list' && isOrphan) {
    throw absent(request.definition.type, byId(request.id ?? ''))
  }
  const nextCursor = await nextCursorOf(service.sealer, spec.page, graph.found)
  return answer(service, request, spec, reading, { ...graph, nextCursor })
}

/**
 * The page at an offset that is too large: an empty page where the offset is past the end. Only the total is read.
 *
 * @throws ApiError VALUE_INVALID_FORMAT where the offset is within the collection
 */
async function pagePastEnd(
  { store, mostOffset }: Service,
  { type }: ResourceDefinition,
  { filter, page: { offset } }: QuerySpec,
): Promise<Graph> {
  const first = { kind: 'page', sort: [], after: undefined, offset: 0, limit: 1 } as const
  const from = { ...first, filter, total: true }
  const [{ total = 0 }] = await store.read([
    { type, from, show: onlyId, alongside: [], viewer: null },
  ])
  if (offset < total) {
    const detail = `page[offset] may be at most ${mostOffset} within the collection. Go on with page[cursor] and the pagination.nextCursor of a page.`
    throw ApiError.of('VALUE_INVALID_FORMAT', detail, { parameter: 'page[offset]' })
  }
  const found = { records: [], members: [], position: undefined, total, related: [] }
  return { found, included: [] }
}

/** The error of a resource that does not exist: NOT_FOUND at the source that names it. */
export function absent(type: string, name: Name, source: ErrorSource = { path: 'id' }): ApiError {
  const detail = `There is no resource of type ${type} with the ${nameText(name)}.`
  return ApiError.of(faultCodes.absent, detail, source)
}
