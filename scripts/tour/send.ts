import { mediaType } from '../../src/jsonapi/json.ts'
import type { Seen, Stop } from './stops.ts'

/** A request of the tour, with all its headers but the token. */
export interface TourRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

/** What came back; `document` is absent where there is none, or one of another media type. */
export interface TourAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tour looks at what it asked for
  readonly document: any
}

/**
 * The request of a stop, what is known in its places.
 *
 * @param api address of the root path
 */
export function requestAt(stop: Stop, api: string, seen: Seen): TourRequest {
  const text = JSON.stringify(stop).replace(/\{(key|made|tag|somebody)\}/g, (_, name) =>
    JSON.stringify(seen[name as keyof Seen]).slice(1, -1),
  )
  const { method, path, headers, body }: Stop = JSON.parse(text)
  const usual = { Accept: mediaType, ...(body && { 'Content-Type': mediaType }) }
  return { method, url: api + path, headers: { ...usual, ...headers }, ...(body && { body }) }
}

/**
 * Sends a request of the tour.
 *
 * @param more headers beside those of the request
 * @param signal ends it early
 * @throws TypeError as `fetch` does when nobody answers
 */
export async function send(
  { method, url, headers, body }: TourRequest,
  token: string,
  more: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<TourAnswer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, Authorization: `Bearer ${token}`, ...more },
    signal,
    ...(body && { body: JSON.stringify(body) }),
  })
  const isDocument = response.headers.get('Content-Type')?.split(';')[0] === mediaType
  const text = await response.text()
  const document = isDocument ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, document }
}

/** What is known after the answer to a stop: what later stops need of it. */
export function look(seen: Seen, name: string, { headers, document }: TourAnswer): Seen {
  switch (name) {
    case 'users.list':
      return { ...seen, somebody: document?.data?.[0]?.id ?? '' }
    case 'users.create':
      return { ...seen, made: document?.data?.id ?? '' }
    case 'users.get':
      return { ...seen, tag: headers.get('ETag') ?? '' }
    default:
      return seen
  }
}
