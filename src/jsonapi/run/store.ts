import type { Identifier } from '../document.ts'
import type { IdempotencyKey } from './idempotency.ts'
import type { Read } from './plan.ts'

/** One member of a relationship as it is stored: the related resource's id, and the `meta` of its identifier. */
export interface Member {
  readonly id: string
  readonly meta?: JsonText
}

/** The first members of a relationship, and whether more follow. A to-one holds at most one. */
export interface Linkage {
  readonly members: readonly Member[]
  readonly more: boolean
}

/** A value that is stored as JSON text, and mostly goes out as it is. */
export interface JsonText {
  readonly json: string
}

/** Is the value JSON text? Other values of attributes are strings, numbers and booleans. */
export function isJsonText(value: unknown): value is JsonText {
  return typeof value === 'object' && value !== null
}

/** One stored resource, as far as it was selected. `owned`: by the caller who reads. */
export interface ResourceRecord {
  readonly type: string
  readonly id: string
  readonly owned: boolean
  /** Values by attribute: plain ones, {@link JsonText}; null or undefined where there is none. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly linkage: Readonly<Record<string, Linkage>>
  /** Names the state of the resource, where it was asked for by its id and its type is written (contract, section 9). */
  readonly revision?: string | undefined
  /** The same object serves other requests too: what is made of it may be remembered with it. */
  readonly lasting?: true
}

/** What a {@link Read} found. */
export interface Found {
  /** The page or the resources asked for; for a linkage the resource that has it, if it exists. */
  readonly records: readonly ResourceRecord[]
  /** The resource does not exist whose relationship was to lead to a page. */
  readonly isOrphan?: boolean
  /** The members asked for by a linkage read. */
  readonly members: readonly Member[]
  /** Does the page or the linkage go on? */
  readonly more: boolean
  /** Sort values and id of the last row of a page that goes on: where the next one starts. */
  readonly position: readonly string[] | undefined
  /** How many resources the collection holds under the filters, where that was asked for. */
  readonly total: number | undefined
  /** Targets of the relationships that came along. */
  readonly related: readonly ResourceRecord[]
}

/** What a write wants to be true. Values are validated; absent members stay untouched. */
export type Change =
  | {
      readonly kind: 'create'
      readonly id: string
      readonly attributes: Readonly<Record<string, unknown>>
      readonly relationships: Readonly<Record<string, readonly Identifier[]>>
      /** Read in the same transaction, after the writes. */
      readonly read: Read
    }
  | {
      readonly kind: 'update'
      readonly id: string
      readonly attributes: Readonly<Record<string, unknown>>
      readonly relationships: Readonly<Record<string, readonly Identifier[]>>
    }
  | { readonly kind: 'delete'; readonly id: string }
  | {
      readonly kind: 'replace' | 'add' | 'remove'
      readonly id: string
      readonly relationship: string
      readonly members: readonly Identifier[]
    }

/** One change of one resource, and under which conditions it is made. */
export interface Edit {
  readonly type: string
  readonly change: Change
  /** The person who must own the resource, and owns what is created; null: anyone may write. */
  readonly owner: string | null
  /** The revision that the edit makes: a text that no other edit has (contract, section 9). */
  readonly revision: string
  /** The revisions of which the resource must have one; absent: any will do. */
  readonly expected?: readonly string[]
}

/** How a write ended. Nothing is written unless it is `done`. */
export type Outcome =
  /** `found`: what the creates among the edits have read, in their order. */
  | { readonly kind: 'done'; readonly found: readonly Found[] }
  /** A request with the same key has written within 24 hours: its fingerprint, and the ids of what it has created. */
  | { readonly kind: 'used'; readonly fingerprint: string; readonly created: readonly string[] }
  | Refusal

/** Why nothing was written. `at`: the index of the edit that could not be done, the first one of such. */
export type Refusal = { readonly at: number } & (
  | { readonly kind: 'absent' }
  | { readonly kind: 'foreign' }
  /** The resource has none of the expected revisions. */
  | { readonly kind: 'stale' }
  /** Others point to the resource and cannot do without it: it stays. */
  | { readonly kind: 'needed' }
  /** Relationships that an update may not replace: more of their members are stored than a resource object shows. */
  | { readonly kind: 'unshown'; readonly relationships: readonly string[] }
  /** Linkage targets that do not exist, by relationship and id. */
  | {
      readonly kind: 'dangling'
      readonly targets: readonly { readonly relationship: string; readonly id: string }[]
    }
  /** Attributes whose value another resource has. */
  | { readonly kind: 'taken'; readonly attributes: readonly string[] }
  /**
   * A quota is reached (contract, section 15): `most` resources of the type for the person who creates one, or `most`
   * members for the relationship.
   */
  | { readonly kind: 'full'; readonly relationship?: string; readonly most: number }
)

/** What requests have cost the database so far. */
export interface Usage {
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  /** The most times that one round trip was tried. */
  attempts: number
}

/** The port through which anything is read or written. */
export interface Store {
  /** Runs reads in at most one round trip. */
  read(reads: readonly [Read, ...Read[]]): Promise<readonly [Found, ...Found[]]>
  /**
   * Makes all edits or none, one after the other, in one transaction and one round trip.
   *
   * @param key stored in the same transaction with the ids of what is created. One that is less than 24 hours old is judged
   * before all else: the outcome is `used`
   */
  write(edits: readonly [Edit, ...Edit[]], key?: IdempotencyKey): Promise<Outcome>
}

/** The store for one request: it reads what the caller has written before, and tells what it costs. */
export interface Session extends Store {
  readonly usage: Readonly<Usage>
  /** Names the state of the database that the request has seen; null when that is not known. */
  bookmark(): Promise<string | null>
}

/** How a request uses the store. */
interface SessionOptions {
  /** A bookmark that the caller brought, unchecked. */
  readonly bookmark: string | undefined
  readonly writes: boolean
  /** Names the caller: two requests have the same text where the same person or client sends them. */
  readonly caller: string
}

/** Opens the store for each request. */
export interface SessionStore extends Store {
  begin(options: SessionOptions): Promise<Session>
}
