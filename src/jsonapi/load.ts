import type { IncludeTree } from './query.ts'
import type { Registry } from './registry.ts'
import type { Found, Read, ResourceRecord, Store } from './store.ts'

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
 */
export async function load(
  store: Store,
  registry: Registry,
  read: Read,
  tree: IncludeTree,
): Promise<Graph> {
  const [found] = await store.read([read])
  const linked = read.from.kind === 'linkage' ? read.from.relationship : undefined
  const primary = linked === undefined ? found.records : []
  const target = linked && registry.get(read.type).relationships[linked]?.target
  const subtree = linked && tree.get(linked)
  const steps =
    target && subtree
      ? [{ type: target, ids: found.links.map(({ id }) => id), tree: subtree }]
      : follow(registry, read.type, found.records, tree)
  const pool = new Map([...found.related, ...primary].map((record) => [keyOf(record), record]))
  const included = await collect(store, registry, read, steps, pool)
  for (const record of primary) {
    included.delete(keyOf(record))
  }
  return { found, included: [...included.values()] }
}

/** Walks the includes level by level. What is not in the pool yet is read, all types of a level at once. */
async function collect(
  store: Store,
  registry: Registry,
  { select, viewer }: Read,
  first: readonly Step[],
  pool: Map<string, ResourceRecord>,
): Promise<Map<string, ResourceRecord>> {
  const included = new Map<string, ResourceRecord>()
  let steps = first
  while (steps.length > 0) {
    const [read, ...reads] = missing(steps, pool).map(
      ([type, ids]): Read => ({
        type,
        from: { kind: 'ids', ids: [...ids] },
        alongside: [],
        select,
        viewer,
      }),
    )
    for (const { records } of read ? await store.read([read, ...reads]) : []) {
      for (const record of records) {
        pool.set(keyOf(record), record)
      }
    }
    steps = steps.flatMap(({ type, ids, tree }) => {
      const records = [...ids].flatMap((id) => pool.get(`${type}/${id}`) ?? [])
      for (const record of records) {
        included.set(keyOf(record), record)
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
  return [...tree].flatMap(([name, subtree]) => {
    const ids = new Set(
      records.flatMap((record) => record.linkage[name]?.links.map(({ id }) => id) ?? []),
    )
    const target = relationships[name]?.target
    return target && ids.size > 0 ? [{ type: target, ids, tree: subtree }] : []
  })
}

function missing(
  steps: readonly Step[],
  pool: ReadonlyMap<string, ResourceRecord>,
): [type: string, ids: Set<string>][] {
  const byType = new Map<string, Set<string>>()
  for (const { type, ids } of steps) {
    for (const id of ids) {
      if (!pool.has(`${type}/${id}`)) {
        byType.set(type, (byType.get(type) ?? new Set()).add(id))
      }
    }
  }
  return [...byType]
}

function keyOf({ type, id }: ResourceRecord): string {
  return `${type}/${id}`
}
