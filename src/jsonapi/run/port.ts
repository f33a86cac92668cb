import type { OperationShape } from '../declare/operation.ts'
import type { Meta } from '../json.ts'
import type { Payload } from '../request/body.ts'
import type { PageSpec, QuerySpec } from '../request/query.ts'

// The port to the store: what is read, what is found, what is written, and how that ended.

/** How many members of a to-many relationship a resource object shows. */
export const linkageLimit = 20

/** What to read of each resource of one type. No value of a column that the caller may not see is returned. */
export interface Selection {
  readonly attributes: readonly string[]
  /** Attributes that are read only of resources that the caller owns. */
  readonly ownAttributes: readonly string[]
  readonly relationships: readonly string[]
}

/** The selection of nothing but the id. */
export const onlyId: Selection = { attributes: [], ownAttributes: [], relationships: [] }

/** The rows of a page, in the order of `sort`. */
type Page = Pick<QuerySpec, 'filter' | 'sort'> & Pick<PageSpec, 'after' | 'limit'>

/** A set of resources to read. No kind reads rows one by one, so a query for each row cannot be written. */
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
  /**
   * What to read of each resource of the type. A read of linkage reads only the revision of the resource that has it, and whether the
   * viewer owns it.
   */
  readonly show: Selection
  /** Relationships whose targets are read in the same round trip, and what to read of each of them. */
  readonly alongside: readonly {
    readonly relationship: string
    /** The type of the targets. */
    readonly target: string
    readonly show: Selection
  }[]
  /** The types that include paths lead to. A store can prefetch those that it keeps in memory. */
  readonly prefetch?: readonly string[]
  /** `all`: every member of a to-many relationship is read, not only the first ones, which a resource object shows. */
  readonly members?: 'all'
  /** The subject of the person who reads, who may own resources; null for a caller who cannot. */
  readonly viewer: string | null
}

/** A member of a relationship as it is stored: the id of the related resource, and the `meta` of its identifier. */
export interface Member {
  readonly id: string
  readonly meta?: Meta
}

/** The first members of a relationship, and whether there are more. A to-one relationship has at most one. */
export interface Linkage {
  readonly members: readonly Member[]
  readonly more: boolean
}

/** The selected part of one stored resource. `owned`: does the caller who reads own it? */
export interface ResourceRecord {
  readonly type: string
  readonly id: string
  readonly owned: boolean
  /** The values of attributes by name: values of JSON; null or undefined if there is no value. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly linkage: Readonly<Record<string, Linkage>>
  /** The revision, if the resource was read by its id and its type has revisions. */
  readonly revision?: string | undefined
}

/** The result of a {@link Read}. */
export interface Found {
  /** The resources that were asked for; for a linkage, the resource that has it, if it exists. */
  readonly records: readonly ResourceRecord[]
  /** True if the resource whose related resources were asked for does not exist. */
  readonly isOrphan?: boolean
  /** The members that a read of linkage asked for. */
  readonly members: readonly Member[]
  /** The sort values and the id of the last row, if another page follows it. */
  readonly position: readonly string[] | undefined
  /** The number of resources that pass the filters, if it was asked for. */
  readonly total: number | undefined
  /** The related resources that were read in the same round trip. */
  readonly related: readonly ResourceRecord[]
}

/** What a write does to one resource. Everything in it is validated, and the identifiers of a relationship are distinct. */
export interface Edit extends Payload {
  readonly type: string
  readonly id: string
  /** `update` replaces the members of each relationship that it has; `add` and `remove` change them. */
  readonly kind: NonNullable<OperationShape['edit']>
  /** The person who must own the resource, and who owns a new one; null if the writer need not own it. */
  readonly owner: string | null
  /** The new revision: a text that no other edit has. */
  readonly revision: string
  /** The stored resource must have one of these revisions. Any will do if absent. */
  readonly ifMatch?: readonly string[] | undefined
  /** The stored resource must have none of these revisions; `*` stands for all. */
  readonly ifNoneMatch?: readonly string[] | '*' | undefined
  /** Refuses a delete if more than this many members of a relationship point at the resource. No limit if absent. */
  readonly maxLinks?: number | undefined
  /** Reads the resource in the same transaction, right after the edit. */
  readonly read?: Read | undefined
}

/** How a write ended. If it is `refused`, nothing is written. */
export type Outcome =
  /** `found`: what the reads of the edits have found, in their order. */
  | { readonly kind: 'done'; readonly found: readonly Found[] }
  /** The guard has found an earlier write, maybe a lost attempt of this one. `created`: the ids of what that write created. */
  | { readonly kind: 'used'; readonly fingerprint: string; readonly created: readonly string[] }
  | Refusal

/** Why nothing was written. `at`: the index of the first edit that cannot be made, all of whose `faults` are of one kind. */
export interface Refusal {
  readonly kind: 'refused'
  readonly at: number
  readonly faults: readonly Fault[]
}

/** Why an edit cannot be made. */
export type Fault =
  | { readonly kind: 'absent' }
  | { readonly kind: 'foreign' }
  /** The resource has none of the revisions in `ifMatch`, or one of those in `ifNoneMatch`. */
  | { readonly kind: 'stale'; readonly condition: 'ifMatch' | 'ifNoneMatch' }
  /** More than `max` members of a relationship point at the resource. */
  | { readonly kind: 'linked'; readonly max: number }
  /** A target of linkage does not exist. */
  | { readonly kind: 'dangling'; readonly relationship: string; readonly id: string }
  /** Another resource has the value of a unique attribute. */
  | { readonly kind: 'taken'; readonly attribute: string }
  /** A quota is reached: the person owns `max` resources of the type, or the relationship would have more than `max` members. */
  | { readonly kind: 'full'; readonly relationship?: string; readonly max: number }

/** What a request has asked of the database so far. */
export interface Usage {
  roundTrips: number
  /** How often a write was sent, at most. 0 for a read. */
  attempts: number
}

/** What a capability adds to a write, such as a condition. Only the store knows the form of the `Parts`. */
export type Guard<Parts = unknown> = (edits: readonly Edit[]) => Parts

/** The port through which anything is read or written. */
export interface Store {
  /** Runs reads in at most one round trip. */
  read(reads: readonly [Read, ...Read[]]): Promise<readonly [Found, ...Found[]]>
  /** Makes all edits or none of them, in their order and in one transaction. A guard comes before all conditions. */
  write(edits: readonly Edit[], guard?: Guard): Promise<Outcome>
}

/** The store for one request. It counts what the request costs. */
export interface Session extends Store {
  readonly usage: Readonly<Usage>
  /** The bookmark of the state of the database that the request has seen; null if there are no replicas. */
  bookmark(): string | null
  /** Ends the session. Nothing is read or written any more. */
  close(): void
}

/** How a request uses the store. */
export interface SessionOptions {
  /** The bookmark that the caller has sent. */
  readonly bookmark?: string | undefined
  readonly writes: boolean
}

/** Opens the store for each request. */
export interface SessionStore {
  begin(options: SessionOptions): Session
}
