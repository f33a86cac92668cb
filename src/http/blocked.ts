import type { Context } from 'hono'
import { ApiError, faultCodes } from '../jsonapi/errors.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { lazyFor } from '../lib/lazy.ts'
import type { Caller } from '../rate-limit/name.ts'
import { createCallerNames } from './caller-name.ts'
import type { AppEnv, Step } from './context.ts'

/** Tells whether the operator has blocked a caller: without a promise where it has told so of the same object before. */
export type IsBlocked = (caller: Caller) => boolean | Promise<boolean>

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
  return lazyFor(async (caller: Caller) => {
    const own = await namesOf(caller)
    return [...own.values()].some((name) => names.has(name))
  })
}

/**
 * Makes the step that ends requests of blocked callers, and sets `blocked` (contract, section 21). It comes before anything that a
 * caller can use up: the limiter, D1 and the body.
 *
 * @throws ApiError 403 INSUFFICIENT_ENTITLEMENTS
 */
export function refuseBlocked(isBlocked: IsBlocked): Step {
  const refuse = (c: Context<AppEnv>, refusal: 'first' | 'repeated'): never => {
    c.set('blocked', refusal)
    throw ApiError.of(
      faultCodes.blocked,
      'The operator of this service has blocked the caller that this token names.',
      { header: 'Authorization' },
    )
  }
  return (c) => {
    const known = isBlocked(c.get('principal'))
    if (known instanceof Promise) {
      return known.then((blocked) => (blocked ? refuse(c, 'first') : undefined))
    }
    if (known) {
      refuse(c, 'repeated')
    }
  }
}
