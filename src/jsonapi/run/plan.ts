import type { SortKey } from '../request/query.ts'

/** The most members of a to-many relationship that a resource object shows (contract, section 7). */
export const linkageLimit = 20

/** What to read of each resource of one type. Fields that the caller may not see are never read. */
export interface Selection {
  readonly attributes: readonly string[]
  /** Attributes that are read only of resources that the caller owns. */
  readonly ownAttributes: readonly string[]
  readonly relationships: readonly string[]
}

/** The selection of nothing but the id. */
export const nothing: Selection = { attributes: [], ownAttributes: [], relationships: [] }

/** The rows of a page, in the order of `sort`. */
interface Page {
  /** The values of each filter, by its name: what stands between the outer brackets of its parameter. */
  readonly filter: Readonly<Record<string, readonly string[]>>
  readonly sort: readonly SortKey[]
  /** The sort values and the id of the row before the page; undefined for a page that follows no row. */
  readonly after: readonly string[] | undefined
  /** The most rows; undefined for all. */
  readonly limit: number | undefined
}

/** A set of resources to read. No kind reads rows one by one, so that a query for each row cannot be written. */
export type From =
  | (Page & {
      readonly kind: 'page'
      /** The relationship whose related resources are read; undefined to read all resources of the type. */
      readonly of?:
        | { readonly type: string; readonly id: string; readonly relationship: string }
        | undefined
      readonly offset: number
      readonly total: boolean
    })
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** The members of a relationship of the resource `id`; the filters and the order are those of its targets. */
  | (Page & { readonly kind: 'linkage'; readonly id: string; readonly relationship: string })

/** What to read: plain data, from which a store makes its statement. */
export interface Read {
  readonly type: string
  readonly from: From
  /** What to read of each resource of the type. Of a resource whose linkage is read, only its existence is read. */
  readonly show: Selection
  /** Relationships whose targets are read in the same round trip, and what to read of each of them. */
  readonly alongside: readonly {
    readonly relationship: string
    /** The type of the targets. */
    readonly target: string
    readonly show: Selection
  }[]
  /** `all`: every member of a to-many relationship is read, and not only those that a resource object shows. */
  readonly members?: 'all'
  /** The subject of the person who reads, which tells what they own; null for a caller who cannot own resources. */
  readonly viewer: string | null
}
