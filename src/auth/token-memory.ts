import type { Principal } from '../jsonapi/declare/access.ts'
import { putBounded } from '../lib/bounded-map.ts'

/** Verified tokens, remembered for a while so that most requests need no cryptography. */
export interface TokenMemory {
  /** Whom a token was found to stand for under this version of the keys. */
  readonly recall: (token: string, version: number) => Principal | undefined
  /** @param expires the token's own `exp`, in seconds since the epoch */
  readonly remember: (token: string, principal: Principal, expires: number, version: number) => void
}

/** Milliseconds a verdict is kept, and how many are. */
const limits = { age: 60_000, entries: 1_000 }

/**
 * A memory keyed by the whole token. A verdict lives for 60 seconds and never past `exp`: the clock tolerance
 * is not granted here, so in those seconds each use is verified again. The oldest makes room; newer keys
 * (a greater version) empty it.
 *
 * @param clock milliseconds since the epoch
 */
export function tokenMemory(clock: () => number): TokenMemory {
  const entries = new Map<string, { readonly principal: Principal; readonly until: number }>()
  let heldFor = 0

  return {
    recall(token, version) {
      const entry = entries.get(token)
      if (!entry) {
        return undefined
      }
      if (version === heldFor && clock() < entry.until) {
        return entry.principal
      }
      entries.delete(token)
      return undefined
    },
    remember(token, principal, expires, version) {
      // The keys have changed since this verdict was made.
      if (version < heldFor) {
        return
      }
      if (version > heldFor) {
        entries.clear()
      }
      heldFor = version
      const now = clock()
      const until = Math.min(now + limits.age, expires * 1000)
      if (until <= now) {
        return
      }
      putBounded(entries, token, { principal, until }, limits.entries)
    },
  }
}
