import type { Identifier } from './documents.ts'

/** What identifies a resource in a document. */
export function keyOf({ type, id }: Identifier): string {
  return `${type}/${id}`
}

/** Whatever stands in `data`, as a list. */
export function listOf<Item>(data: Item | readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(data) ? data : data === null || data === undefined ? [] : [data as Item]
}
