import { errors } from 'jose'
import { ApiError } from '../jsonapi/errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { createKeyAttempts } from './key-attempts.ts'
import type { FetchedKeys, KeyCache } from './key-cache.ts'
import { type Fetch, type FindKey, fetchKeySet, type KeySet, longestServedMs } from './key-set.ts'

/** The published keys of a token issuer, held per isolate. */
export interface RemoteKeys {
  /**
   * The key a token's header asks for.
   *
   * @throws JWKSNoMatchingKey when the issuer does not publish it, JWKSMultipleMatchingKeys when it is
   * not the only one, ApiError 500 with `Retry-After` when that cannot be known now
   */
  readonly find: FindKey
  /** Grows whenever the keys become other keys. */
  readonly version: () => number
  /** Rejects when there are no keys to verify with now. */
  readonly check: () => Promise<unknown>
}

/** Where the keys are, and what the outside world is made of. */
export interface RemoteKeysOptions {
  readonly url: string
  /** Where an isolate that starts cold looks before it asks the issuer. */
  readonly cache?: KeyCache
  readonly fetch?: Fetch
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Keeps work alive when the request that started it is cancelled: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/** Milliseconds. The first three are ages of keys, counted from their fetch (contract, section 3). */
const times = {
  /** Up to here keys serve, and nobody asks for newer ones. */
  fresh: 10 * 60_000,
  /** Up to here they serve at once while one refresh runs; from here on requests wait for it. */
  stale: 15 * 60_000,
  /** Up to here they serve where the refresh has failed. */
  served: longestServedMs,
  /** From one attempt to the next for the sake of unknown keys. */
  cooldown: 30_000,
  /** For the issuer to answer, and for a request that has keys to wait for newer ones. */
  timeout: 2_000,
  /** For the cache to answer. */
  cache: 250,
}

/** A key set read from a URL. Nothing is fetched before the first token. */
export function remoteKeys(options: RemoteKeysOptions): RemoteKeys {
  const { url, cache, clock = Date.now, waitUntil = () => {} } = options
  // Looked up at each call, so that a fetch replaced later (by a test) is the one used.
  const get = options.fetch ?? ((...request: Parameters<Fetch>) => fetch(...request))
  let held: FetchedKeys | undefined
  let version = 0
  let look: Promise<void> | undefined
  const attempts = createKeyAttempts({
    load: () => fetchKeySet(url, get, times.timeout),
    timeout: times.timeout,
    take(keys, at) {
      hold({ keys, at })
      if (cache) {
        waitUntil(cache.write({ keys, at }))
      }
    },
    clock,
    waitUntil,
  })

  return { find, version: () => version, check: current }

  async function find(...token: Parameters<FindKey>): Promise<CryptoKey> {
    const keys = await current()
    try {
      return await keys.find(...token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) {
        throw error
      }
    }
    // Whether the issuer has published it since, only the issuer can tell.
    const known = await attempts.wait(times.cooldown)
    const renewed = usable()
    if (!known || !renewed) {
      throw unavailable(times.cooldown)
    }
    return renewed.find(...token)
  }

  /** The keys to verify with now. While the issuer fails to answer, requests do not wait for it one after the other. */
  async function current(): Promise<KeySet> {
    if (!held && cache) {
      await recall(cache)
    }
    const age = ageOf(held)
    if (age >= times.served) {
      await attempts.wait()
    } else if (age >= times.stale && !attempts.failing()) {
      await withDeadline(attempts.wait(), times.timeout, () => false)
    } else if (age >= times.fresh) {
      attempts.start()
    }
    const keys = usable()
    if (!keys) {
      throw unavailable()
    }
    return keys
  }

  /** Looks for keys in the cache, once per isolate. A look that takes too long is nobody's concern any more. */
  async function recall(cache: KeyCache): Promise<void> {
    if (!look) {
      look = cache.read().then((found) => {
        // Keys of the issuer may have come first. A time ahead of this clock would make keys younger than they are.
        if (found && !held && ageOf(found) >= 0) {
          hold(found)
        }
      })
      waitUntil(look)
    }
    await withDeadline(look, times.cache, () => {
      look = Promise.resolve()
    })
  }

  /** Equal keys stay the same object: their imported form and the verified tokens remain good. */
  function hold({ keys, at }: FetchedKeys): void {
    if (held?.keys.text === keys.text) {
      held = { keys: held.keys, at }
    } else {
      held = { keys, at }
      version += 1
    }
  }

  function usable(): KeySet | undefined {
    return ageOf(held) < times.served ? held?.keys : undefined
  }

  function ageOf(fetched: FetchedKeys | undefined): number {
    return fetched ? clock() - fetched.at : Number.POSITIVE_INFINITY
  }

  /** Not the caller's fault: never a 401. */
  function unavailable(spacing?: number): ApiError {
    return new ApiError(
      [{ code: 'INTERNAL_SERVER_ERROR', detail: 'The request cannot be served at the moment' }],
      { 'Retry-After': String(attempts.retryAfter(spacing)) },
      { cause: attempts.cause() },
    )
  }
}
