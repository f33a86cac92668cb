import type { Principal } from '../jsonapi/declare/access.ts'
import { putBounded } from '../lib/bounded-map.ts'

/**
 * A memory of verified tokens by the usual value of their `Authorization` header, so that most requests need no cryptography, and
 * no pattern is matched against a token.
 */
export interface TokenMemory {
  /** The principal of a header with a token; undefined unless the token was verified under this version of the keys. */
  readonly recall: (header: string, version: number) => Principal | undefined
  /** @param expires the token's own `exp`, in seconds since the epoch */
  readonly remember: (
    header: string,
    principal: Principal,
    expires: number,
    version: number,
  ) => void
}

/** The milliseconds for which a token is remembered, and the most tokens that are remembered. */
const limits = { age: 60_000, entries: 1_000 }

/**
 * Makes a memory by the whole header, token included. An entry lives for 60 seconds, and never past `exp`: a token that is valid
 * only because of the clock tolerance is verified at each use. The oldest entry makes room for a new one. Newer keys (a greater
 * version) empty the memory.
 *
 * @param clock milliseconds since the epoch
 */
export function tokenMemory(clock: () => number): TokenMemory {
  const entries = new Map<string, { readonly principal: Principal; readonly until: number }>()
  let keysVersion = 0

  return {
    recall(header, version) {
      const entry = entries.get(header)
      if (!entry) {
        return undefined
      }
      if (version === keysVersion && clock() < entry.until) {
        return entry.principal
      }
      entries.delete(header)
      return undefined
    },
    remember(header, principal, expires, version) {
      // The keys have changed since this token was verified.
      if (version < keysVersion) {
        return
      }
      if (version > keysVersion) {
        entries.clear()
      }
      keysVersion = version
      const now = clock()
      const until = Math.min(now + limits.age, expires * 1000)
      if (until <= now) {
        return
      }
      putBounded(entries, header, { principal, until }, limits.entries)
    },
  }
}
