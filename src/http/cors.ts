import type { Env, MiddlewareHandler } from 'hono'
import { rateLimitHeaderTexts } from '../rate-limit/bucket.ts'
import { requestIdHeader } from './log.ts'
import { bookmarkHeader, type Capability } from './serve.ts'

/** Seconds that a browser may keep the answer to a preflight request. */
const maxAge = '7200'

/** Lets web pages of the configured origins read answers. Cookies are never allowed. The methods of a preflight are those in `Allow`. */
export function cors(
  origins: ReadonlySet<string>,
  capabilities: readonly Capability[] = [],
): MiddlewareHandler<Env> {
  const allowedHeaders = [
    'Accept',
    'Authorization',
    'Content-Type',
    ...capabilities.flatMap(({ requestHeaders = [] }) => requestHeaders),
    'If-Match',
    'If-None-Match',
    bookmarkHeader,
  ].join(', ')
  const exposedHeaders = [
    ...Object.keys(rateLimitHeaderTexts),
    bookmarkHeader,
    'ETag',
    ...capabilities.flatMap(({ responseHeaders = [] }) => responseHeaders),
    'Location',
    'Retry-After',
    'WWW-Authenticate',
    requestIdHeader,
  ].join(', ')
  return async function cors(c, next) {
    await next()
    const { headers } = c.res
    headers.append('Vary', 'Origin')
    const origin = c.req.header('Origin')
    if (origin === undefined || !origins.has(origin)) {
      return
    }
    headers.set('Access-Control-Allow-Origin', origin)
    headers.set('Access-Control-Expose-Headers', exposedHeaders)
    if (c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') !== undefined) {
      headers.set('Access-Control-Allow-Methods', headers.get('Allow') ?? '')
      headers.set('Access-Control-Allow-Headers', allowedHeaders)
      headers.set('Access-Control-Max-Age', maxAge)
    }
  }
}
