import type { IncludeTree } from '../request/query.ts'
import type { ResourceRecord } from './store.ts'

/** An included resource, and the relationships that include paths follow from it. */
export interface Included {
  readonly record: ResourceRecord
  readonly follows: IncludeTree
}

/** A resource that has been read. Linkage that is read later is added to it. */
export interface Entry extends Included {
  record: ResourceRecord
  /** Is it in the answer, as primary data or because an include path has reached it? */
  isShown: boolean
  follows: IncludeTree
}

/** What is followed from a resource that no include path has reached. */
export const nowhere: IncludeTree = new Map()

/** The resources that have been read, by type and id. */
export type Pool = Map<string, Map<string, Entry>>

/** The entries of one type. */
function entriesOf(pool: Pool, type: string): Map<string, Entry> {
  const known = pool.get(type)
  if (known) {
    return known
  }
  const entries = new Map<string, Entry>()
  pool.set(type, entries)
  return entries
}

/** Puts a resource into the pool. An entry that exists gets the linkage of the record, too. */
export function put(pool: Pool, record: ResourceRecord, isShown: boolean): void {
  const entries = entriesOf(pool, record.type)
  const known = entries.get(record.id)
  if (!known) {
    entries.set(record.id, { record, isShown, follows: nowhere })
  } else {
    known.record = { ...known.record, linkage: { ...known.record.linkage, ...record.linkage } }
  }
}
