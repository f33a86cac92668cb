import type { Context } from 'hono'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { rateLimitHeaders } from '../rate-limit/headers.ts'
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

/** The headers of one JSON:API answer. They are made at once, because setting one later costs a call out of the isolate. */
export function answerHeaders(c: Context<AppEnv>): Record<string, string> {
  const verdict = c.get('verdict')
  return {
    ...baseHeaders,
    [requestIdHeader]: c.get('requestId'),
    ...(verdict && rateLimitHeaders(verdict)),
  }
}

const { 'Content-Type': _, ...bodiless } = baseHeaders

/** The headers of an answer without a body. */
export const bodilessHeaders = bodiless

/** The headers of pages about the service, which are the same for all callers and set their media type themselves. */
export const publicHeaders: Readonly<Record<string, string>> = {
  ...bodiless,
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300',
}
