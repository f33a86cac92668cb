import type { MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/access.ts'
import { ApiError } from '../jsonapi/errors.ts'
import { sha256Hex } from '../rate-limit/policy.ts'
import type { AppEnv } from './context.ts'
import { requestIdHeader } from './headers.ts'
import { log } from './log.ts'

/** Names every request, and writes one line about it when it is answered. */
export function trace(options: { readonly serverTiming: boolean }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    await drain(c.req.raw)
    // What answers under a name has said it already; to look into each answer would cost a call out of the isolate.
    if (c.get('operation') === undefined) {
      c.res.headers.set(requestIdHeader, requestId)
    }
    if (options.serverTiming) {
      c.res.headers.set('Server-Timing', `total;dur=${Date.now() - start}`)
    }
    const identity = c.get('identity')
    const verdict = await c.get('admission')?.()
    log('info', 'request', {
      requestId,
      method: c.req.method,
      operation: c.get('operation'),
      resource: isFound(c.res.status) ? c.get('resourceId') : undefined,
      status: c.res.status,
      ms: Date.now() - start,
      limit: verdict && (verdict.allowed ? 'allowed' : 'refused'),
      ...c.get('session')?.usage,
      caller: identity && !(identity instanceof ApiError) ? await hashed(identity) : undefined,
    })
  }
}

/** Bytes of a refused body that are still read. */
const mostDrained = 128 * 1024

/**
 * Reads the body that a refusal has left: a proxy on the way may drop a connection with bytes that nobody took. Whoever
 * sends it slowly or breaks off holds up nobody else.
 */
async function drain(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) {
    return
  }
  let length = 0
  try {
    for await (const chunk of request.body) {
      length += chunk.byteLength
      if (length > mostDrained) {
        return
      }
    }
  } catch {
    // The caller is gone. Its answer stands all the same.
  }
}

/**
 * Does the status tell that the resource exists? Success does, and a refusal of the owner or for a conflict.
 * What else stands in a path may be anything, an e-mail address too.
 */
function isFound(status: number): boolean {
  return status < 400 || status === 403 || status === 409
}

const hashes = new WeakMap<Principal, string>()

/** A caller as logs name it: not who it is, but whether it is the same. Remembered with the token. */
async function hashed(principal: Principal): Promise<string> {
  const known = hashes.get(principal)
  if (known !== undefined) {
    return known
  }
  const digits = await sha256Hex(JSON.stringify([principal.issuer, principal.id]))
  const hash = digits.slice(0, 16)
  hashes.set(principal, hash)
  return hash
}
