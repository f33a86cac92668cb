import { mediaType } from '../../src/jsonapi/request/media-type.ts'
import type { TourAnswer, TourRequest } from './tour-print.ts'
import type { Seen } from './tour-stops.ts'

/**
 * Sends a request of the tour.
 *
 * @param more headers beside the usual ones
 * @param signal ends it early
 * @throws TypeError as `fetch` does when nobody answers
 */
export async function send(
  { method, url, body, type = mediaType }: TourRequest,
  token: string,
  more: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<TourAnswer> {
  const headers = {
    Accept: type,
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': type }),
    ...more,
  }
  const response = await fetch(url, {
    method,
    headers,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  })
  const isDocument = response.headers.get('Content-Type') === type
  const text = await response.text()
  const document = isDocument ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, document }
}

/** What later stops need to know of an answer. */
export function look(seen: Seen, name: string, { document }: TourAnswer): Seen {
  switch (name) {
    case 'users.list':
      return { ...seen, somebody: document?.data?.[0]?.id ?? '' }
    case 'users.create':
      return { ...seen, made: document?.data?.id ?? '' }
    default:
      return seen
  }
}
