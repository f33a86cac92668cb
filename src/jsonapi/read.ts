import type { Principal } from './access.ts'
import { jsonapi } from './document.ts'
import { ApiError } from './errors.ts'
import { type Graph, load } from './load.ts'
import { type Operation, operations, type ReadOperation } from './operation.ts'
import { pageParts } from './pagination.ts'
import type { IncludeTree, QuerySpec } from './query.ts'
import type { Registry } from './registry.ts'
import { arrayText, firstText, identifierText, resourceText, showsSensitive } from './render.ts'
import { type ResourceDefinition, ruleOf } from './resource.ts'
import type { Found, From, Link, Read, ResourceRecord, Store } from './store.ts'
import { quote } from './validate.ts'
import { identifierStart, seesLinkage, type View, viewOf } from './view.ts'

/** What operations run on: the resource types, where they are stored, and the root path of links. */
export interface Service {
  readonly registry: Registry
  readonly store: Store
  readonly root: string
}

/** One validated request. */
export interface Request<Name> {
  readonly operation: Name
  readonly definition: ResourceDefinition
  readonly relationship: string | undefined
  /** The id in the path; undefined on a collection. */
  readonly id: string | undefined
  readonly principal: Principal
  /** Path and query string as they were sent: what `links.self` repeats. */
  readonly path: string
  readonly search: string
}

/** How an operation answers, before it becomes an HTTP response. */
export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly cacheControl: string
  /** The document, as JSON text. */
  readonly body?: string
  /** The id that a create has assigned. */
  readonly createdId?: string
}

/** Shown to nobody but the caller, and kept by no cache. */
const noStore = 'private, no-store'

/**
 * Runs a read operation.
 *
 * @throws ApiError NOT_FOUND when the resource does not exist
 */
export async function read(
  service: Service,
  request: Request<ReadOperation>,
  spec: QuerySpec,
): Promise<Answer> {
  const reading = planRead(service, request, spec, fromOf(request, spec))
  const graph = await load(service.store, service.registry, reading.read, reading.tree)
  const [record] = graph.found.records
  if (request.operation !== 'list' && !record) {
    throw absent(request.definition.type, request.id ?? '')
  }
  return answer(service, request, spec, reading, graph)
}

/** The resource does not exist: NOT_FOUND at the path. */
export function absent(type: string, id: string): ApiError {
  return ApiError.of(
    'NOT_FOUND',
    `There is no resource of type ${type} with the id ${quote(id)}.`,
    { path: 'id' },
  )
}

/** A read with what is needed to render what it finds. */
export interface Reading {
  readonly read: Read
  readonly tree: IncludeTree
  readonly viewOf: (type: string) => View
}

/** What to fetch so that the caller sees what it may see, and nothing else is fetched. */
export function planRead(
  { registry }: Service,
  { definition, principal }: Pick<Request<unknown>, 'definition' | 'principal'>,
  { include, fields }: Pick<QuerySpec, 'include' | 'fields'>,
  from: From,
): Reading {
  const tree = visibleTree(registry, definition, principal, include ?? new Map())
  const linked = linkedNames(registry, definition.type, tree)
  const views = new Map<string, View>()
  const view = (type: string): View => {
    const known = views.get(type)
    if (known) {
      return known
    }
    const made = viewOf(
      registry.get(type),
      principal,
      fields.get(type),
      linked.get(type) ?? new Set(),
    )
    views.set(type, made)
    return made
  }
  return {
    tree,
    viewOf: view,
    read: {
      type: definition.type,
      from,
      alongside: [...tree.keys()],
      select: (type) => view(type).selection,
      viewer: principal.kind === 'user' ? principal.id : null,
    },
  }
}

/** Renders what a read found. */
export function answer(
  service: Pick<Service, 'root'>,
  request: Request<Operation>,
  spec: QuerySpec,
  { viewOf: view }: Reading,
  { found, included }: Graph,
): Answer {
  const { definition, operation, relationship, path, search } = request
  const shown = relationship === undefined ? [...found.records, ...included] : included
  const rule = ruleOf(definition, operation, relationship)
  const sensitive = shown.some((record) => showsSensitive(view(record.type), record))
  const text = (record: ResourceRecord): string =>
    resourceText(service.root, view(record.type), record)
  const { links, meta } = pageParts(path, search, spec.page, found)
  let body = `{"jsonapi":${jsonapiText},"links":${JSON.stringify(links)}`
  if (meta) {
    body += `,"meta":${JSON.stringify(meta)}`
  }
  body += `,"data":${dataText(request, found, text)}`
  if (spec.include) {
    body += `,"included":${arrayText(included, text)}`
  }
  return {
    status: rule?.status ?? operations[operation].status,
    headers: rule?.headers ?? [],
    cacheControl: sensitive ? noStore : definition.cacheControl,
    body: `${body}}`,
  }
}

const jsonapiText = JSON.stringify(jsonapi)

function dataText(
  { definition, operation, relationship }: Request<Operation>,
  { records, links }: Found,
  text: (record: ResourceRecord) => string,
): string {
  if (relationship === undefined) {
    return operation === 'list' ? arrayText(records, text) : firstText(records, text)
  }
  const target = definition.relationships[relationship]?.target ?? ''
  const start = identifierStart(target)
  const member = (link: Link): string => identifierText(start, link)
  return operation === 'readMany' ? arrayText(links, member) : firstText(links, member)
}

function fromOf(
  { operation, id = '', relationship = '' }: Request<ReadOperation>,
  { filter, sort, page }: QuerySpec,
): From {
  const { after, offset, limit } = page
  switch (operation) {
    case 'list':
      return { kind: 'page', filter, sort, after, offset, limit, total: page.strategy === 'offset' }
    case 'get':
      return { kind: 'ids', ids: [id] }
    default:
      return { kind: 'linkage', id, relationship, after: after?.[0], limit }
  }
}

/** The include tree without what the caller may not see: nothing of it is read (contract, section 4). */
function visibleTree(
  registry: Registry,
  definition: ResourceDefinition,
  principal: Principal,
  tree: IncludeTree,
): IncludeTree {
  const visible = [...tree].filter(([name]) => seesLinkage(definition, name, principal))
  return new Map(
    visible.map(([name, subtree]) => {
      const target = registry.get(definition.relationships[name]?.target ?? '')
      return [name, visibleTree(registry, target, principal, subtree)]
    }),
  )
}

/** The relationships that a tree follows, by the type that has them. */
function linkedNames(
  registry: Registry,
  type: string,
  tree: IncludeTree,
  found = new Map<string, Set<string>>(),
): ReadonlyMap<string, ReadonlySet<string>> {
  for (const [name, subtree] of tree) {
    found.set(type, (found.get(type) ?? new Set()).add(name))
    linkedNames(registry, registry.get(type).relationships[name]?.target ?? '', subtree, found)
  }
  return found
}
