/** What a visit to the service has seen: the same for every client. */
export interface Seen {
  /** The symbols of the currencies of Panama, read with `include`. */
  readonly symbols: readonly (string | undefined)[]
  /** How many countries of Europe each page held. */
  readonly pages: readonly number[]
  /** The name of the user that was created, as it was read again. */
  readonly name: string | undefined
  /** The code of the error that a second user with the same e-mail address is refused with. */
  readonly refusal: string | undefined
  /** The code of the error of a request without a token. */
  readonly unauthorized: string | undefined
}

/** What a visit is made with. */
export interface Visitor {
  /** URL of the root path. */
  readonly baseUrl: string
  readonly token: string
  /** An address that no user has. */
  readonly email: string
}

/** A program that uses a generated client. */
export type Visit = (visitor: Visitor) => Promise<Seen>

/** The media type of every body (JSON:API 1.1, "Content Negotiation"). */
export const json = 'application/vnd.api+json'

/** Pages of a list, one after the other: each names the next one by its cursor. */
export async function sizesOf(
  read: (cursor: string | undefined) => Promise<{
    readonly data: readonly unknown[]
    readonly meta?: { readonly 'pagination.nextCursor'?: string | undefined } | undefined
  }>,
): Promise<number[]> {
  const sizes: number[] = []
  let cursor: string | undefined
  do {
    const { data, meta } = await read(cursor)
    sizes.push(data.length)
    cursor = meta?.['pagination.nextCursor']
  } while (cursor !== undefined)
  return sizes
}
