import { ApiError } from './errors.ts'
import type { IncludeTree } from './query.ts'
import type { Registry } from './registry.ts'
import type { Found, Read, ResourceRecord, Store } from './store.ts'

/**
 * The most resources that `include` may bring where it leads past the first level. Each level can have 20 times as many
 * as the one before: without a bound one cheap request could fill the memory that all requests of an isolate share.
 */
export const mostIncluded = 5_000

/** What one read answers with: what was asked for, and everything included, each resource once. */
export interface Graph {
  readonly found: Found
  readonly included: readonly ResourceRecord[]
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
 * @param tree relationships to follow; only such as the caller may see
 * @throws ApiError VALUE_INVALID_FORMAT when they lead to more than {@link mostIncluded} resources
 */
export async function load(
  store: Store,
  registry: Registry,
  read: Read,
  tree: IncludeTree,
): Promise<Graph> {
  const [found] = await store.read([read])
  if (tree.size === 0) {
    return { found, included: [] }
  }
  const linked = read.from.kind === 'linkage' ? read.from.relationship : undefined
  const primary = linked === undefined ? found.records : []
  const target = linked && registry.get(read.type).relationships[linked]?.target
  const subtree = linked && tree.get(linked)
  const steps =
    target && subtree
      ? [{ type: target, ids: found.links.map(({ id }) => id), tree: subtree }]
      : follow(registry, read.type, found.records, tree)
  const pool = poolOf(found.related, primary)
  const included = await collect(store, registry, read, steps, pool)
  const shown = new Set(primary)
  return { found, included: [...included].filter((record) => !shown.has(record)) }
}

/** Resources at hand, by type and id. */
type Pool = Map<string, Map<string, ResourceRecord>>

function poolOf(...sets: readonly (readonly ResourceRecord[])[]): Pool {
  const pool: Pool = new Map()
  for (const records of sets) {
    addTo(pool, records)
  }
  return pool
}

function addTo(pool: Pool, records: readonly ResourceRecord[]): void {
  for (const record of records) {
    const known = pool.get(record.type)
    if (known) {
      known.set(record.id, record)
    } else {
      pool.set(record.type, new Map([[record.id, record]]))
    }
  }
}

/** Walks the includes level by level. What is not in the pool yet is read, all types of a level at once. */
async function collect(
  store: Store,
  registry: Registry,
  { select, viewer }: Read,
  first: readonly Step[],
  pool: Pool,
): Promise<Set<ResourceRecord>> {
  const included = new Set<ResourceRecord>()
  let steps = first
  while (steps.length > 0) {
    const wanted = missing(steps, pool)
    if (wanted.reduce((sum, [, ids]) => sum + ids.size, included.size) > mostIncluded) {
      const detail = `More than ${mostIncluded} resources would be included; ask for fewer at once.`
      throw ApiError.of('VALUE_INVALID_FORMAT', detail, { parameter: 'include' })
    }
    const [read, ...reads] = wanted.map(
      ([type, ids]): Read => ({
        type,
        from: { kind: 'ids', ids: [...ids] },
        alongside: [],
        select,
        viewer,
      }),
    )
    for (const { records } of read ? await store.read([read, ...reads]) : []) {
      addTo(pool, records)
    }
    steps = steps.flatMap(({ type, ids, tree }) => {
      const known = pool.get(type)
      const records: ResourceRecord[] = []
      for (const id of ids) {
        const record = known?.get(id)
        if (record) {
          records.push(record)
          included.add(record)
        }
      }
      return follow(registry, type, records, tree)
    })
  }
  return included
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
      for (const { id } of linkage[name]?.links ?? []) {
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

function missing(steps: readonly Step[], pool: Pool): [type: string, ids: Set<string>][] {
  const byType = new Map<string, Set<string>>()
  for (const { type, ids } of steps) {
    const known = pool.get(type)
    for (const id of ids) {
      if (!known?.has(id)) {
        byType.set(type, (byType.get(type) ?? new Set()).add(id))
      }
    }
  }
  return [...byType]
}
