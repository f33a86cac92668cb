import { mediaType } from '../../src/jsonapi/json.ts'
import type { Seen, Stop } from './stops.ts'

/** A request as it goes out. */
export interface TourRequest {
  readonly method: string
  readonly url: string
  /** Headers beside those that every request has. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | undefined
}

/** What came back; `document` is absent where there is none, or one of another media type. */
export interface TourAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tour looks at what it asked for
  readonly document: any
}

/**
 * The request of a stop.
 *
 * @param api address of the root path
 */
export function requestAt(
  { method, path, headers, body }: Stop,
  api: string,
  seen: Seen,
): TourRequest {
  return { method, url: api + path(seen), headers: headers?.(seen) ?? {}, body: body?.(seen) }
}

/**
 * Sends a request of the tour.
 *
 * @param more headers beside the usual ones
 * @param signal ends it early
 * @throws TypeError as `fetch` does when nobody answers
 */
export async function send(
  { method, url, headers: own, body }: TourRequest,
  token: string,
  more: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<TourAnswer> {
  const headers = {
    Accept: mediaType,
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': mediaType }),
    ...own,
    ...more,
  }
  const response = await fetch(url, {
    method,
    headers,
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
