import type { Context } from 'hono'
import type { Answer } from '../jsonapi/read.ts'
import type { AppEnv } from './context.ts'
import { baseHeaders } from './headers.ts'

/**
 * Names the state of the database that a write has made; a request that brings it back reads its own writes,
 * whichever replica answers (D1 read replication).
 */
export const bookmarkHeader = 'X-D1-Bookmark'

/**
 * An operation's answer as a response. Answers to GET carry a strong `ETag` and become 304 where the caller has
 * them already (RFC 9110, section 13.1.2). `Cache-Control` is added to 2xx that have none (specification,
 * rule 4 of the generic operations).
 */
export async function respond(c: Context<AppEnv>, answer: Answer): Promise<Response> {
  const { status, document, cacheControl } = answer
  const headers = new Headers(baseHeaders)
  for (const [name, value] of answer.headers) {
    headers.append(name, value)
  }
  const isGet = c.req.method === 'GET' || c.req.method === 'HEAD'
  const bookmark = c.get('session').bookmark()
  if (bookmark !== null && (!isGet || c.req.header(bookmarkHeader) !== undefined)) {
    headers.set(bookmarkHeader, bookmark)
  }
  if (status < 300 && !headers.has('Cache-Control')) {
    headers.set('Cache-Control', cacheControl)
  }
  if (!document) {
    headers.delete('Content-Type')
    return new Response(null, { status, headers })
  }
  const body = new TextEncoder().encode(JSON.stringify(document))
  if (!isGet) {
    return new Response(body, { status, headers })
  }
  const etag = await entityTag(body)
  headers.set('ETag', etag)
  if (matches(c.req.header('If-None-Match'), etag)) {
    headers.delete('Content-Type')
    headers.delete('Cache-Control')
    return new Response(null, { status: 304, headers })
  }
  return new Response(body, { status, headers })
}

/** A strong validator: the same bytes, and only they, have the same tag. */
async function entityTag(body: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return `"${btoa(String.fromCharCode(...digest.subarray(0, 16))).slice(0, 22)}"`
}

/** Weak comparison, as `If-None-Match` asks (RFC 9110, section 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    (header.trim() === '*' ||
      header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag))
  )
}
