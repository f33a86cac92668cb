/** Free-form members beside the data (JSON:API 1.1, "Meta Information"). */
export type Meta = Readonly<Record<string, unknown>>

/** One member of a relationship as it is sent (JSON:API 1.1, "Resource Identifier Objects"); its type is the relationship's. */
export interface Identifier {
  readonly id: string
  readonly meta?: Meta
}

/** Links by name: a URL path, or null where there is none (JSON:API 1.1, "Links"). */
export type Links = Readonly<Record<string, string | null>>

/** What `jsonapi` says in every document, errors included (contract, section 8). */
export const jsonapi = { version: '1.1' } as const
