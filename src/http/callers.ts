import type { Env, MiddlewareHandler } from 'hono'
import { ApiError, faultCodes } from '../jsonapi/errors.ts'
import { createSigner, type KeyRing } from '../lib/key-ring.ts'
import { type Caller, callerText } from '../rate-limit/name.ts'

/** Gives the name of a caller in the log. It tells whether two callers are the same, but not who they are. */
export type CallerName = (caller: Caller) => Promise<string>

/** The characters of a name: 96 bits of a keyed hash, as base64url. */
const length = 16

/** Is this the form of a name of a caller in the log? */
export function isCallerName(text: string): boolean {
  return text.length === length && /^[\w-]+$/.test(text)
}

/** Makes the function that names callers in the log, under the current key of a ring. */
export function createCallerName(ring: KeyRing): CallerName {
  const { sign } = createSigner(ring, 'caller in the log')
  return async (caller) => (await sign(callerText(caller))).slice(0, length)
}

/**
 * Ends requests of blocked callers. It comes before anything that a caller can use up: the limiter, the database and the body.
 *
 * @param blocked names of callers in the log
 * @throws ApiError INSUFFICIENT_ENTITLEMENTS
 */
export function refuseBlocked(
  blocked: ReadonlySet<string>,
  nameOf: CallerName,
): MiddlewareHandler<Env> {
  return async function refuseBlocked(c, next) {
    if (blocked.has(await nameOf(c.get('principal')))) {
      const detail = 'The operator of this service has blocked the caller that this token names.'
      throw ApiError.of(faultCodes.blocked, detail, { header: 'Authorization' })
    }
    await next()
  }
}
