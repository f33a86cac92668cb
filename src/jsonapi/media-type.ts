/** The media type of every request body and every answer. */
export const mediaType = 'application/vnd.api+json'

/** The media type of JSON:API, with an extension if one is given. */
export function withExtension(extension?: string): string {
  return extension === undefined ? mediaType : `${mediaType}; ext="${extension}"`
}

/** The member `jsonapi` of every document, errors included. */
export const jsonapi = { version: '1.1' } as const

/** Free-form members beside the data (JSON:API 1.1, "Meta Information"). */
export type Meta = Readonly<Record<string, unknown>>

/** A member of a relationship as a request names it (JSON:API 1.1, "Resource Identifier Objects"). Its type is that of the relationship. */
export interface Identifier {
  readonly id: string
  readonly meta?: Meta
}

/** Links by name: a URL path, or null where there is none (JSON:API 1.1, "Links"). */
export type Links = Readonly<Record<string, string | null>>
