import type { Env, MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import { ApiError, faultCodes } from '../jsonapi/errors.ts'
import { lazyFor } from '../lib/kept.ts'
import { createSigner, type KeyRing } from '../lib/key-ring.ts'
import { type Caller, callerText } from '../rate-limit/name.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** Set where the caller is blocked: is this the first request of a token that the isolate refuses, or has it refused it before? */
    blocked: 'first' | 'repeated'
  }
}

/** Gives the name of a caller in the log. It tells whether two callers are the same, but not who they are. */
export type CallerName = (caller: Caller) => string | Promise<string>

/** Tells whether the operator has blocked a caller. */
export type IsBlocked = (caller: Caller) => Promise<boolean>

/** The characters of a name: 96 bits of a keyed hash, as base64url. */
const length = 16

/** Is this the form of a name of a caller in the log? */
export function isCallerName(text: string): boolean {
  return text.length === length && /^[\w-]+$/.test(text)
}

/** Makes the function that names callers in the log, under the current key of a ring (contract, section 19). */
export function createCallerName(ring: KeyRing): CallerName {
  const { sign } = createSigner(ring, 'caller in the log')
  return lazyFor(async (caller: Caller) => (await sign(callerText(caller))).slice(0, length))
}

/**
 * Makes the function that gives all names of a caller in the log: by the id of each key of a ring, the name while that key is the
 * current one.
 */
export function createCallerNames(
  ring: KeyRing,
): (caller: Caller) => Promise<ReadonlyMap<string, string>> {
  const under = [...ring.keys.keys()].map(
    (id) => [id, createCallerName({ ...ring, current: id })] as const,
  )
  return async (caller) =>
    new Map(
      await Promise.all(under.map(async ([id, nameOf]) => [id, await nameOf(caller)] as const)),
    )
}

/**
 * Makes the function that tells which callers are blocked. They are matched under every key of the ring, so that a new current key
 * unblocks nobody.
 *
 * @param names names of callers in the log
 * @returns undefined where nobody is blocked, so that no request pays for it
 */
export function blockedAmong(ring: KeyRing, names: ReadonlySet<string>): IsBlocked | undefined {
  if (names.size === 0) {
    return undefined
  }
  const namesOf = createCallerNames(ring)
  return async (caller) => {
    const own = await namesOf(caller)
    return [...own.values()].some((name) => names.has(name))
  }
}

/**
 * Ends requests of blocked callers, and sets `blocked` (contract, section 21). It comes before anything that a caller can use up: the
 * limiter, D1 and the body.
 *
 * @throws ApiError INSUFFICIENT_ENTITLEMENTS
 */
export function refuseBlocked(isBlocked: IsBlocked): MiddlewareHandler<Env> {
  /** Those who were refused. A principal is remembered with its token. */
  const refused = new WeakSet<Principal>()
  return async function refuseBlocked(c, next) {
    const principal = c.get('principal')
    if (await isBlocked(principal)) {
      c.set('blocked', refused.has(principal) ? 'repeated' : 'first')
      refused.add(principal)
      throw ApiError.of(
        faultCodes.blocked,
        'The operator of this service has blocked the caller that this token names.',
        { header: 'Authorization' },
      )
    }
    await next()
  }
}
