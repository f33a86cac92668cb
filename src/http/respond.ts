import type { Context } from 'hono'
import { longestHeader } from '../jsonapi/request/media-type.ts'
import type { Answer } from '../jsonapi/run/read.ts'
import type { AppEnv } from './context.ts'
import { answerHeaders } from './headers.ts'

/**
 * Names the state of the database that a write has made; a request that brings it back reads its own writes,
 * whichever replica answers (D1 read replication).
 */
export const bookmarkHeader = 'X-D1-Bookmark'

/**
 * An operation's answer as a response, {@link tagged} where it answers GET. `Cache-Control` is added to 2xx that
 * have none (contract, section 9).
 */
export async function respond(
  c: Context<AppEnv>,
  answer: Answer,
  isRead: boolean,
): Promise<Response> {
  const { status, body, cacheControl } = answer
  const headers = answerHeaders(c)
  if (!isRead || c.req.header(bookmarkHeader) !== undefined) {
    const bookmark = await c.get('session').bookmark()
    if (bookmark !== null) {
      headers[bookmarkHeader] = bookmark
    }
  }
  if (status < 300 && !answer.headers.some(([name]) => name.toLowerCase() === 'cache-control')) {
    headers['Cache-Control'] = cacheControl
  }
  const response =
    body !== undefined && isRead
      ? await tagged(c, body, status, headers)
      : written(body, status, headers)
  for (const [name, value] of answer.headers) {
    response.headers.append(name, value)
  }
  return response
}

const utf8 = new TextEncoder()

/** An answer to GET with a strong `ETag`, or 304 where the caller has it already (RFC 9110, section 13.1.2). */
export async function tagged(
  c: Context<AppEnv>,
  text: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const body = utf8.encode(text)
  const ETag = await entityTag(body)
  if (matches(c.req.header('If-None-Match'), ETag)) {
    const { 'Cache-Control': _, ...rest } = headers
    return written(undefined, 304, { ...rest, ETag })
  }
  return written(body, status, { ...headers, ETag })
}

function written(
  body: BodyInit | undefined,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  if (body !== undefined) {
    return new Response(body, { status, headers })
  }
  const { 'Content-Type': _, ...rest } = headers
  return new Response(null, { status, headers: rest })
}

/** A strong validator: the same bytes, and only they, have the same tag. */
async function entityTag(body: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return `"${btoa(String.fromCharCode(...digest.subarray(0, 16))).slice(0, 22)}"`
}

/** Weak comparison, as `If-None-Match` asks (RFC 9110, section 13.1.2). A header that is too long matches nothing. */
function matches(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    header.length <= longestHeader &&
    (header.trim() === '*' ||
      header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag))
  )
}
