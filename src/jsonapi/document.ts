/** Free-form members beside the data (JSON:API 1.1, "Meta Information"). */
export type Meta = Readonly<Record<string, unknown>>

/** Links by name: a URL path, or null where there is none (JSON:API 1.1, "Links"). */
export type Links = Readonly<Record<string, string | null>>

/** Names one resource (JSON:API 1.1, "Resource Identifier Objects"). */
export interface ResourceIdentifier {
  readonly type: string
  readonly id: string
  readonly meta?: Meta
}

/** A relationship inside a resource object; `data` is absent where the caller may not see the linkage. */
export interface RelationshipObject {
  readonly links: Links
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null
}

/** One resource (JSON:API 1.1, "Resource Objects"). */
export interface ResourceObject {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, RelationshipObject>>
  readonly links?: Links
}

/** What `jsonapi` says in every document, errors included (contract, section 8). */
export const jsonapi = { version: '1.1' } as const

/** A document with data (specification, "Document envelopes"). */
export interface DataDocument {
  readonly jsonapi: typeof jsonapi
  readonly links?: Links
  readonly meta?: Meta
  readonly data:
    | ResourceObject
    | readonly ResourceObject[]
    | ResourceIdentifier
    | readonly ResourceIdentifier[]
    | null
  readonly included?: readonly ResourceObject[]
}
