import type { Registry } from '../declare/registry.ts'
import { ApiError } from '../errors.ts'
import type { IncludeTree } from '../request/query.ts'
import { type Read, readOf, type Selection } from './plan.ts'
import type { Found, ResourceRecord, Store } from './store.ts'

/**
 * The most resources that `include` may bring past the first level (contract, section 6). Each level can have 20 times as
 * many as the one before: without a bound one cheap request could fill the memory that all requests of an isolate share.
 */
export const mostIncluded = 1_000

/** What to read for one request. */
export interface Loading {
  readonly read: Read
  /** Relationships to follow; only such as the caller may see. */
  readonly tree: IncludeTree
  /** What the caller sees of an included resource of a type from which `follows` are followed. */
  readonly includedView: (type: string, follows: IncludeTree) => { readonly selection: Selection }
}

/** An included resource, and the relationships that include paths follow from it. */
export interface Included {
  readonly record: ResourceRecord
  readonly follows: IncludeTree
}

/** What one read answers with: what was asked for, and everything included, each resource once. */
export interface Graph {
  readonly found: Found
  readonly included: readonly Included[]
}

/** Resources of one type, and the relationships to follow from them. */
interface Step {
  readonly type: string
  readonly ids: Iterable<string>
  readonly tree: IncludeTree
}

/**
 * Reads the primary data with its first-level includes in one round trip, then each further level in at most
 * one more.
 *
 * @throws ApiError VALUE_INVALID_FORMAT when they lead to more than {@link mostIncluded} resources past the first level;
 * this shows in the linkage of the level before, so that none of these resources is read
 */
export async function load(store: Store, registry: Registry, loading: Loading): Promise<Graph> {
  const { read, tree } = loading
  const [found] = await store.read([read])
  if (tree.size === 0) {
    return { found, included: [] }
  }
  const { type, from } = read.plan
  const linked = from.kind === 'linkage' ? from.relationship : undefined
  const pool: Pool = new Map()
  for (const record of linked === undefined ? found.records : []) {
    entryOf(pool, record).isPrimary = true
  }
  for (const record of found.related) {
    entryOf(pool, record)
  }
  const subtree = linked === undefined ? undefined : tree.get(linked)
  const target = linked && registry.get(type).relationships[linked]?.target
  const steps =
    target && subtree
      ? [{ type: target, ids: found.members.map(({ id }) => id), tree: subtree }]
      : follow(registry, type, found.records, tree)
  return { found, included: await collect(store, registry, loading, steps, pool) }
}

/** A resource at hand. What it is read with later is added to it. */
interface Entry {
  record: ResourceRecord
  isPrimary: boolean
  /** The relationships that are followed from it, once it is reached by an include path. */
  follows: IncludeTree | undefined
}

/** Resources at hand, by type and id. */
type Pool = Map<string, Map<string, Entry>>

/** The entry of a resource: a new one, or the known one with the linkage of both. */
function entryOf(pool: Pool, record: ResourceRecord): Entry {
  const { type, id } = record
  const entries = pool.get(type) ?? new Map<string, Entry>()
  pool.set(type, entries)
  const known = entries.get(id)
  if (!known) {
    const entry = { record, isPrimary: false, follows: undefined }
    entries.set(id, entry)
    return entry
  }
  if (!known.record.lasting) {
    known.record = { ...known.record, linkage: { ...known.record.linkage, ...record.linkage } }
  }
  return known
}

/** Walks the includes level by level. What is not in the pool yet is read, all types of a level at once. */
async function collect(
  store: Store,
  registry: Registry,
  { read: asked, includedView }: Loading,
  first: readonly Step[],
  pool: Pool,
): Promise<Included[]> {
  const included: Entry[] = []
  let past = 0
  for (let steps = first; steps.length > 0; ) {
    if (steps !== first) {
      past += additional(steps, pool)
      demandFew(past)
    }
    const [read, ...reads] = missing(steps, pool).map(
      ([type, { ids, tree }]): Read =>
        readOf({
          type,
          from: { kind: 'ids', ids: [...ids] },
          show: includedView(type, tree).selection,
          viewer: asked.values.viewer,
        }),
    )
    for (const { records } of read ? await store.read([read, ...reads]) : []) {
      for (const record of records) {
        entryOf(pool, record)
      }
    }
    steps = steps.flatMap((step) =>
      follow(registry, step.type, reach(step, pool, included), step.tree),
    )
  }
  return included.map(({ record, follows = new Map() }) => ({ record, follows }))
}

/** Adds the resources of a step to what is included, and gives all of them. */
function reach({ type, ids, tree }: Step, pool: Pool, included: Entry[]): ResourceRecord[] {
  const entries = pool.get(type)
  const records: ResourceRecord[] = []
  for (const id of ids) {
    const entry = entries?.get(id)
    if (entry) {
      records.push(entry.record)
      if (!entry.follows && !entry.isPrimary) {
        included.push(entry)
      }
      entry.follows = entry.follows ? union(entry.follows, tree) : tree
    }
  }
  return records
}

/** Both trees as one, as far as their first steps go. A view is made for each tree, so that a new one is the last resort. */
function union(one: IncludeTree, other: IncludeTree): IncludeTree {
  return hasSteps(one, other) ? one : hasSteps(other, one) ? other : new Map([...one, ...other])
}

/** Has a tree all the first steps of another one? */
function hasSteps(tree: IncludeTree, other: IncludeTree): boolean {
  for (const step of other.keys()) {
    if (!tree.has(step)) {
      return false
    }
  }
  return true
}

/** How many resources a level adds to those that are shown already. */
function additional(steps: readonly Step[], pool: Pool): number {
  const byType = new Map<string, Set<string>>()
  for (const { type, ids } of steps) {
    const entries = pool.get(type)
    const added = byType.get(type) ?? new Set()
    byType.set(type, added)
    for (const id of ids) {
      const entry = entries?.get(id)
      if (!entry?.isPrimary && !entry?.follows) {
        added.add(id)
      }
    }
  }
  return [...byType.values()].reduce((sum, { size }) => sum + size, 0)
}

function demandFew(count: number): void {
  if (count > mostIncluded) {
    const detail = `These include paths lead to more than ${mostIncluded} resources past the first level. Ask for fewer paths or a smaller page.`
    throw ApiError.of('VALUE_INVALID_FORMAT', detail, { parameter: 'include' })
  }
}

/** The steps that lead on from resources of one type. */
function follow(
  registry: Registry,
  type: string,
  records: readonly ResourceRecord[],
  tree: IncludeTree,
): Step[] {
  const { relationships } = registry.get(type)
  const steps: Step[] = []
  for (const [name, subtree] of tree) {
    const ids = new Set<string>()
    for (const { linkage } of records) {
      for (const { id } of linkage[name]?.members ?? []) {
        ids.add(id)
      }
    }
    const target = relationships[name]?.target
    if (target && ids.size > 0) {
      steps.push({ type: target, ids, tree: subtree })
    }
  }
  return steps
}

/** What is to be read of one type: resources that are not at hand, or at hand without linkage that is followed. */
interface Missing {
  readonly ids: Set<string>
  tree: IncludeTree
}

function missing(steps: readonly Step[], pool: Pool): [type: string, Missing][] {
  const byType = new Map<string, Missing>()
  for (const { type, ids, tree } of steps) {
    const entries = pool.get(type)
    for (const id of ids) {
      const record = entries?.get(id)?.record
      if (!record || !hasLinkage(record, tree)) {
        const wanted = byType.get(type) ?? { ids: new Set(), tree }
        wanted.ids.add(id)
        wanted.tree = union(wanted.tree, tree)
        byType.set(type, wanted)
      }
    }
  }
  return [...byType]
}

function hasLinkage({ linkage }: ResourceRecord, tree: IncludeTree): boolean {
  for (const name of tree.keys()) {
    if (!linkage[name]) {
      return false
    }
  }
  return true
}
