import type { Context } from 'hono'
import { mediaType } from '../jsonapi/request/media-type.ts'
import { rateLimitHeaders } from '../rate-limit/headers.ts'
import type { AppEnv } from './context.ts'

/** Headers of every JSON:API answer: its media type, what it varies by, and what a browser must not do with it. */
const baseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': mediaType,
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

/** Names the request, in its answer and in the log. */
export const requestIdHeader = 'X-Request-Id'

/** Headers of one JSON:API answer. All at once: each one that is set later costs a call out of the isolate. */
export function answerHeaders(c: Context<AppEnv>): Record<string, string> {
  const verdict = c.get('verdict')
  return {
    ...baseHeaders,
    [requestIdHeader]: c.get('requestId'),
    ...(verdict && rateLimitHeaders(verdict)),
  }
}

const { 'Content-Type': _, ...bodiless } = baseHeaders

/** Headers of an answer without a body. */
export const bodilessHeaders = bodiless

/** Headers of what is the same for everybody: pages about the service, which say their media type themselves. */
export const publicHeaders: Readonly<Record<string, string>> = {
  ...bodiless,
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300',
}
