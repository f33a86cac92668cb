import type { Context } from 'hono'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { rateLimitHeaders } from '../rate-limit/bucket.ts'
import type { AppEnv } from './context.ts'

/** The headers of every JSON:API answer: its media type, the headers that it varies by, and rules for browsers. */
const baseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': mediaType,
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

/** The header that names the request, in its answer and in the log. */
export const requestIdHeader = 'X-Request-Id'

/** A header. Lists of them are made for each answer, because a record costs several times as much to make and to read. */
export type Header = readonly [name: string, value: string]

/** The headers of one JSON:API answer beyond those of every answer: the id of the request, and the verdict of the limiter. */
export function answerHeaders(c: Context<AppEnv>): Header[] {
  const verdict = c.get('verdict')
  const headers = verdict ? rateLimitHeaders(verdict) : []
  headers.push([requestIdHeader, c.get('requestId')])
  return headers
}

const { 'Content-Type': _, ...bodiless } = baseHeaders

// They are made once: the runtime copies Headers in half of the time in which it reads the same ones from a record.
const shared = { full: new Headers(baseHeaders), empty: new Headers(bodiless) }

/**
 * Makes a response with the headers of every answer and its own. Of several headers with one name the last one holds. A response
 * without a body has no `Content-Type`.
 */
export function responseOf(
  body: BodyInit | undefined,
  status: number,
  own: readonly Header[],
): Response {
  const isEmpty = body === undefined
  const headers = isEmpty ? shared.empty : shared.full
  const response = new Response(isEmpty ? null : body, { status, headers })
  // Each look at the headers of a response is a call out of the isolate.
  const added = response.headers
  for (const [name, value] of own) {
    if (!isEmpty || name !== 'Content-Type') {
      added.set(name, value)
    }
  }
  return response
}

/** The headers of pages about the service, which are the same for all callers and set their media type themselves. */
export const publicHeaders: Readonly<Record<string, string>> = {
  ...bodiless,
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300',
}
