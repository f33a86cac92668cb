import type { MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/access.ts'
import { ApiError } from '../jsonapi/errors.ts'
import type { AppEnv } from './context.ts'
import { log } from './log.ts'

/** Names every request, and writes one line about it when it is answered. */
export function trace(options: { readonly serverTiming: boolean }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    c.res.headers.set('X-Request-Id', requestId)
    if (options.serverTiming) {
      c.res.headers.set('Server-Timing', `total;dur=${Date.now() - start}`)
    }
    const identity = c.get('identity')
    const verdict = c.get('verdict')
    log('info', 'request', {
      requestId,
      method: c.req.method,
      operation: c.get('operation'),
      // Only an id that exists: what else stands in a path may be anything, an e-mail address too.
      resource: c.res.status < 400 ? c.get('resourceId') : undefined,
      status: c.res.status,
      ms: Date.now() - start,
      limit: verdict && (verdict.allowed ? 'allowed' : 'refused'),
      ...c.get('session')?.usage,
      caller: identity && !(identity instanceof ApiError) ? await hashed(identity) : undefined,
    })
  }
}

const hashes = new WeakMap<Principal, string>()

/** A caller as logs name it: not who it is, but whether it is the same. Remembered with the token. */
async function hashed(principal: Principal): Promise<string> {
  const known = hashes.get(principal)
  if (known !== undefined) {
    return known
  }
  const name = new TextEncoder().encode(JSON.stringify([principal.issuer, principal.id]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', name))
  const hash = Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
  hashes.set(principal, hash)
  return hash
}
