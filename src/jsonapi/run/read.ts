import type { Sealer } from '../../lib/sealer.ts'
import type { Principal } from '../declare/access.ts'
import { subjectOf } from '../declare/endpoint.ts'
import { isRelated, type Operation, operations, type ReadOperation } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import { type ResourceDefinition, ruleOf } from '../declare/resource.ts'
import { jsonapi } from '../document.ts'
import { ApiError, type ErrorSource, faultCodes } from '../errors.ts'
import { byId, type Name, nameText } from '../request/places.ts'
import type { IncludeTree, QuerySpec } from '../request/query.ts'
import { type Graph, type Included, load, type Reading } from './load.ts'
import { nextCursorOf, pageParts } from './pagination.ts'
import { type From, nothing } from './plan.ts'
import {
  arrayText,
  dataText,
  linkageOf,
  type Renderer,
  relatedLink,
  resourceRenderer,
} from './render.ts'
import type { Store } from './store.ts'
import { seesLinkage, seesRevision, showsSensitive, type View, viewOf } from './view.ts'

/** What operations need to run: the resource types, their store, and the root path of links. */
export interface Service {
  readonly registry: Registry
  readonly store: Store
  readonly root: string
  /** The largest `page[offset]` within a collection. The rows that an offset skips cost time, too (contract, section 10). */
  readonly mostOffset: number
  /** Seals cursors that hold values of attributes. */
  readonly sealer: Sealer
}

/** One validated request. */
export interface Request<Name> {
  readonly operation: Name
  readonly definition: ResourceDefinition
  readonly relationship: string | undefined
  /** The id in the path; undefined for a collection. */
  readonly id: string | undefined
  readonly principal: Principal
  /** The path and query string as they were sent, which `links.self` repeats. */
  readonly path: string
  readonly search: string
}

/** The answer of an operation, before it becomes an HTTP response. */
export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly cacheControl: string
  /** The document, as JSON text. */
  readonly body?: string
  /** The media type of the document, where it has an extension. */
  readonly mediaType?: string
  /** The id that a create has assigned. */
  readonly createdId?: string
  /** The revision of the resource that the answer shows, where its caller may be told it, or that was written (contract, section 9). */
  readonly revision?: string | undefined
  /** Does the object stay in memory for other requests? Then its bytes can be remembered with it. */
  readonly lasting?: true
}

/** `Cache-Control` of answers that no cache may keep. */
export const noStore = 'private, no-store'

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
    { type, from, show: nothing, alongside: [], viewer: null },
  ])
  if (offset < total) {
    const detail = `page[offset] may be at most ${mostOffset} within the collection. Go on with page[cursor] and the pagination.nextCursor of a page.`
    throw ApiError.of('VALUE_INVALID_FORMAT', detail, { parameter: 'page[offset]' })
  }
  const found = { records: [], members: [], more: false, position: undefined, total, related: [] }
  return { found, included: [] }
}

/** The error of a resource that does not exist: NOT_FOUND at the source that names it. */
export function absent(type: string, name: Name, source: ErrorSource = { path: 'id' }): ApiError {
  const detail = `There is no resource of type ${type} with the ${nameText(name)}.`
  return ApiError.of(faultCodes.absent, detail, source)
}

/** Plans the read of a request. It reads what the answer shows to the caller, and nothing else. */
export function planRead(
  { registry }: Pick<Service, 'registry'>,
  { definition, principal }: Pick<Request<unknown>, 'definition' | 'principal'>,
  { include, fields }: Pick<QuerySpec, 'include' | 'fields'>,
  from: From,
): Reading {
  const tree = visibleTree(registry, definition, principal, include ?? new Map())
  const view = viewOf(definition, principal, fields.get(definition.type), {
    follows: tree,
    isIncluded: false,
  })
  const views = new Map<IncludeTree, View>()
  const includedView = (type: string, follows: IncludeTree): View => {
    const known = views.get(follows)
    if (known) {
      return known
    }
    const place = { follows, isIncluded: true }
    const made = viewOf(registry.get(type), principal, fields.get(type), place)
    views.set(follows, made)
    return made
  }
  return {
    tree,
    view,
    includedView,
    read: {
      type: definition.type,
      from,
      show: from.kind === 'linkage' ? nothing : view.selection,
      alongside: [...tree].map(([relationship, subtree]) => {
        const target = targetOf(definition, relationship)
        return { relationship, target, show: includedView(target, subtree).selection }
      }),
      viewer: principal.kind === 'user' ? principal.id : null,
    },
  }
}

/** The target type of a declared relationship. */
function targetOf({ relationships }: ResourceDefinition, relationship: string): string {
  return relationships[relationship]?.target ?? ''
}

const jsonapiText = JSON.stringify(jsonapi)

/** Renders the answer from what the read found, and the cursor of the next page. */
export function answer(
  { root, mostOffset }: Pick<Service, 'root' | 'mostOffset'>,
  request: Request<Operation>,
  spec: QuerySpec,
  { view, includedView }: Reading,
  { found, included, nextCursor }: Graph & { readonly nextCursor?: string | undefined },
): Answer {
  const { definition, operation, relationship, path, search, principal } = request
  const rule = ruleOf(definition, operation, relationship)
  const primary = linkageOf(request) ? [] : found.records
  const [shown] = operation === 'list' || isRelated(operation) ? [] : found.records
  const isRevisionTold = shown && seesRevision(definition, principal, shown.owned)
  let isSensitive = primary.some((record) => showsSensitive(view, record))
  const renderers = new Map<View, Renderer>()
  const includedText = ({ record, follows }: Included): string => {
    const view = includedView(record.type, follows)
    isSensitive ||= showsSensitive(view, record)
    const render = renderers.get(view) ?? resourceRenderer(root, view)
    renderers.set(view, render)
    return render(record)
  }
  const { links, meta } = pageParts({ path, search, mostOffset }, spec.page, found, nextCursor)
  const all = { ...links, ...relatedLink(root, request) }
  let body = `{"jsonapi":${jsonapiText},"links":${JSON.stringify(all)}`
  if (meta) {
    body += `,"meta":${JSON.stringify(meta)}`
  }
  body += `,"data":${dataText(root, request, view, found)}`
  if (spec.include) {
    body += `,"included":${arrayText(included, includedText)}`
  }
  return {
    status: rule?.status ?? operations[operation].status,
    headers: rule?.headers ?? [],
    cacheControl: isSensitive ? noStore : definition.cacheControl,
    body: `${body}}`,
    // Only an answer that shows one resource, or the identifiers of one of its relationships, has that resource's revision.
    revision: isRevisionTold ? shown.revision : undefined,
  }
}

function fromOf(
  { definition: { type }, operation, id = '', relationship = '' }: Request<ReadOperation>,
  { filter, sort, page }: QuerySpec,
): From {
  const { after, offset, limit } = page
  const query = { filter, sort, after, limit }
  switch (operation) {
    case 'list':
      return { kind: 'page', ...query, offset, total: page.strategy === 'offset' }
    case 'get':
      return { kind: 'ids', ids: [id] }
    case 'relatedOne':
    case 'relatedMany':
      return { kind: 'page', of: { type, id, relationship }, ...query, offset: 0, total: false }
    default:
      return { kind: 'linkage', id, relationship, ...query }
  }
}

/** The include tree without relationships that the caller may not see, so that nothing is read through them (contract, section 4). */
function visibleTree(
  registry: Registry,
  definition: ResourceDefinition,
  principal: Principal,
  tree: IncludeTree,
): IncludeTree {
  const visible = [...tree].filter(([name]) => seesLinkage(definition, name, principal))
  return new Map(
    visible.map(([name, subtree]) => {
      const target = registry.get(targetOf(definition, name))
      return [name, visibleTree(registry, target, principal, subtree)]
    }),
  )
}
