import type { ReadOperation } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import { ApiError, faultCodes, quote } from '../problems.ts'
import type { PathTree } from '../request/query.ts'
import {
  type Found,
  type From,
  onlyId,
  type Read,
  type ResourceRecord,
  type Store,
} from './port.ts'
import { answer } from './render.ts'
import {
  fromOf,
  maxIncluded,
  readOf,
  type Service,
  type ValidRequest,
  type View,
  viewOf,
} from './views.ts'

/**
 * Runs a read operation.
 *
 * @throws ApiError NOT_FOUND if the resource does not exist; VALUE_INVALID_FORMAT if `page[offset]` is too large and lies
 * within the collection, or if include paths lead to too many resources
 */
export async function runRead(service: Service, request: ValidRequest<ReadOperation>) {
  const { definition, operation, id, query } = request
  const { store, registry, offsetLimit } = service
  const view = viewOf(registry, request)
  const { found, included } =
    query.page.offset > offsetLimit
      ? { found: await pagePastEnd(service, request), included: [] }
      : await load(store, registry, view, fromOf(request))
  const { records, isOrphan = records.length === 0 } = found
  if (operation !== 'list' && isOrphan) {
    const detail = `There is no resource of type ${definition.type} with the id ${quote(id)}.`
    throw ApiError.of(faultCodes.absent, detail, { path: 'id' })
  }
  return answer(service, request, view, found, included)
}

/**
 * The page at an offset that is too large: an empty page if it is past the total.
 *
 * @throws ApiError VALUE_INVALID_FORMAT if the offset is within the collection
 */
async function pagePastEnd(
  { store, offsetLimit }: Service,
  { definition: { type }, query }: ValidRequest,
): Promise<Found> {
  const { filter, page } = query
  const from = { kind: 'page', filter, sort: [], offset: 0, limit: 1, total: true } as const
  const [found] = await store.read([{ type, from, show: onlyId, alongside: [], viewer: null }])
  const { total = 0 } = found
  if (page.offset < total) {
    const detail = `page[offset] may be at most ${offsetLimit} within the collection. Go on with page[cursor] and meta.pagination.nextCursor of a page.`
    throw ApiError.of('VALUE_INVALID_FORMAT', detail, { parameter: 'page[offset]' })
  }
  return { ...found, records: [], position: undefined }
}

/** Resources of one type, and the relationships to follow from them. */
interface Step {
  readonly type: string
  readonly ids: ReadonlySet<string>
  readonly tree: PathTree
}

/** The resources that have been read, by `type/id`. */
type Pool = Map<string, ResourceRecord>

/** What include paths follow from each resource of the answer, by `type/id`, in the order in which the paths reach them. */
type Followed = Map<string, PathTree>

/** What is followed from a resource that no include path has reached. */
const noPaths: PathTree = new Map()

/**
 * Reads the primary data and the first level of includes in one round trip, or in two if that level may have too many resources. Each
 * further level, with all its types, takes at most one more. Resources that have been read already are not read again.
 *
 * @throws ApiError VALUE_INVALID_FORMAT if the include paths lead to more than {@link maxIncluded} resources. They are counted by
 * the linkage of the level before, so none of a level that has too many is read
 */
export async function load(store: Store, registry: Registry, view: View, from: From) {
  const { definition, follows } = view
  const read = readOf(view, from)
  const [found] = await store.read([read])
  if (follows.size === 0) {
    return { found, included: [] }
  }
  const pool: Pool = new Map()
  const primary = from.kind === 'linkage' ? [] : found.records
  addTo(pool, [...primary, ...found.related])
  const followed: Followed = new Map(primary.map((record) => [poolKey(record), noPaths]))
  // The relationship whose identifiers are read is the first step of each path.
  const starts =
    from.kind === 'linkage'
      ? [{ linkage: { [from.relationship]: { members: found.members, more: false } } }]
      : primary
  let steps = follow(registry, definition.type, starts, follows)
  while (steps.length > 0) {
    if (countNew(steps, followed) > maxIncluded - (followed.size - primary.length)) {
      const detail = `These include paths lead to more than ${maxIncluded} resources. Ask for fewer paths, or for a page with a smaller page[limit].`
      throw ApiError.of('VALUE_INVALID_FORMAT', detail, { parameter: 'include' })
    }
    const [first, ...others] = unreadIn(steps, pool).map(
      ({ type, ids, tree }): Read => ({
        type,
        from: { kind: 'ids', ids: [...ids] },
        show: view.included(type, tree).selection,
        alongside: [],
        viewer: read.viewer,
      }),
    )
    for (const { records } of first ? await store.read([first, ...others]) : []) {
      addTo(pool, records)
    }
    steps = steps.flatMap((step) =>
      follow(registry, step.type, reach(step, pool, followed), step.tree),
    )
  }
  const included = [...followed].slice(primary.length).map(([key, follows]) => ({
    record: pool.get(key) as ResourceRecord,
    follows,
  }))
  return { found, included }
}

function poolKey({ type, id }: Pick<ResourceRecord, 'type' | 'id'>): string {
  return `${type}/${id}`
}

/** Adds resources to the pool. Of a resource that is there already, the pool keeps the linkage of both records. */
function addTo(pool: Pool, records: readonly ResourceRecord[]): void {
  for (const record of records) {
    const known = pool.get(poolKey(record))
    const linkage = known && { ...known.linkage, ...record.linkage }
    pool.set(poolKey(record), linkage ? { ...known, linkage } : record)
  }
}

/** Adds a step to what is followed, and returns its resources. */
function reach({ type, ids, tree }: Step, pool: Pool, followed: Followed): ResourceRecord[] {
  return [...ids].flatMap((id) => {
    const key = poolKey({ type, id })
    const record = pool.get(key)
    if (record) {
      const before = followed.get(key) ?? noPaths
      followed.set(key, before === noPaths ? tree : union(before, tree))
    }
    return record ?? []
  })
}

/**
 * A tree with the first steps of both trees. If one of the two has them all, it is returned, because each new tree needs a view of
 * its own.
 */
function union(one: PathTree, other: PathTree): PathTree {
  const all = new Map([...one, ...other])
  return [one, other].find(({ size }) => size === all.size) ?? all
}

/** The number of resources of a level that are not in the answer yet. */
function countNew(steps: readonly Step[], followed: Followed): number {
  const keys = new Set(
    steps.flatMap(({ type, ids }) => [...ids].map((id) => poolKey({ type, id }))),
  )
  return [...keys].filter((key) => !followed.has(key)).length
}

/** The steps of the next level from the linkage of resources of one type. */
function follow(
  registry: Registry,
  type: string,
  records: readonly Pick<ResourceRecord, 'linkage'>[],
  tree: PathTree,
): Step[] {
  const { relationships } = registry.get(type)
  return [...tree].flatMap(([name, subtree]) => {
    const members = records.flatMap(({ linkage }) => linkage[name]?.members ?? [])
    const ids = new Set(members.map(({ id }) => id))
    const target = relationships[name]?.target
    return target && ids.size > 0 ? [{ type: target, ids, tree: subtree }] : []
  })
}

/** The resources that have not been read, or were read without linkage that is followed: one step for each type. */
function unreadIn(steps: readonly Step[], pool: Pool): Step[] {
  const unread = steps.map(({ type, ids, tree }): Step => {
    const isComplete = (id: string) => {
      const record = pool.get(poolKey({ type, id }))
      return record && [...tree.keys()].every((name) => record.linkage[name])
    }
    return { type, ids: new Set([...ids].filter((id) => !isComplete(id))), tree }
  })
  const some = unread.filter(({ ids }) => ids.size > 0)
  return [...Map.groupBy(some, ({ type }) => type)].map(([type, same]) => ({
    type,
    ids: new Set(same.flatMap(({ ids }) => [...ids])),
    tree: same.map(({ tree }) => tree).reduce(union),
  }))
}
