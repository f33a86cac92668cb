import type { Context, Env, MiddlewareHandler } from 'hono'
import { idempotencyKeyHeader, replayedHeader } from '../jsonapi/idempotency.ts'
import { rateLimitHeaderTexts } from '../rate-limit/headers.ts'
import { bookmarkHeader } from './answers.ts'
import { requestIdHeader } from './trace.ts'

/** Request headers that a page of another origin may send (contract, section 17). */
const allowed = [
  'Accept',
  'Authorization',
  'Content-Type',
  idempotencyKeyHeader,
  'If-Match',
  'If-None-Match',
  bookmarkHeader,
].join(', ')

/** Response headers that a page of another origin may read (contract, section 17). */
const exposed = [
  ...Object.keys(rateLimitHeaderTexts),
  bookmarkHeader,
  'ETag',
  replayedHeader,
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  requestIdHeader,
].join(', ')

/** Seconds that a browser may keep the answer to a preflight request. */
const maxAge = '7200'

/** Lets web pages of the configured origins read answers (Fetch standard, "CORS protocol"). Cookies are never allowed. */
export function cors(origins: ReadonlySet<string>): MiddlewareHandler<Env> {
  return async function cors(c, next) {
    await next()
    c.res.headers.append('Vary', 'Origin')
    const origin = c.req.header('Origin')
    if (origin !== undefined && origins.has(origin)) {
      c.res.headers.set('Access-Control-Allow-Origin', origin)
      c.res.headers.set('Access-Control-Expose-Headers', exposed)
      if (isPreflight(c)) {
        c.res.headers.set('Access-Control-Allow-Methods', c.res.headers.get('Allow') ?? '')
        c.res.headers.set('Access-Control-Allow-Headers', allowed)
        c.res.headers.set('Access-Control-Max-Age', maxAge)
      }
    }
  }
}

function isPreflight(c: Context<Env>): boolean {
  return c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') !== undefined
}
