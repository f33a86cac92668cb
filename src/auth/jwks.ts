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
  /** A number that grows whenever the keys change. */
  readonly version: () => number
  /** Rejects when there are no keys to verify with now. */
  readonly check: () => Promise<unknown>
}

/** Where the keys are published, and the parts of the platform that are used, which tests replace. */
export interface RemoteKeysOptions {
  readonly url: string
  /** Where an isolate that starts cold looks before it asks the issuer; nowhere if absent. */
  readonly cache?: KeyCache
  readonly fetch?: Fetch
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Keeps work alive when the request that started it is cancelled: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/** Milliseconds. The first three are ages of keys, counted from their fetch (contract, section 3). */
const times = {
  /** Younger keys serve, and nobody asks for newer ones. */
  fresh: 10 * 60_000,
  /** Younger keys serve at once while one refresh runs. With older ones a request waits for it. */
  stale: 15 * 60_000,
  /** Younger keys serve where the refresh has failed. */
  served: longestServedMs,
  /** Between attempts that are made because a token asks for an unknown key. */
  cooldown: 30_000,
  /** How long the issuer may take to answer, and a request that has old keys waits for newer ones. */
  timeout: 2_000,
  /** How long the cache may take to answer. */
  cache: 250,
}

/** A key set read from a URL. Nothing is fetched before the first token. */
export function remoteKeys(options: RemoteKeysOptions): RemoteKeys {
  const { url, cache, clock = Date.now, waitUntil = () => {} } = options
  // Looked up at each call, so that a fetch replaced later (by a test) is the one used.
  const get = options.fetch ?? ((...request: Parameters<Fetch>) => fetch(...request))
  let held: FetchedKeys | undefined
  let version = 0
  let lookup: Promise<void> | undefined
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
    // The issuer may have published the key since the last fetch.
    const hasSucceeded = await attempts.wait(times.cooldown)
    const renewed = usable()
    if (!hasSucceeded || !renewed) {
      throw unavailable(times.cooldown)
    }
    return renewed.find(...token)
  }

  /** The keys to verify with now. While the issuer fails to answer, requests with old keys do not wait for it. */
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

  /** Looks for keys in the cache, once per isolate. When that takes too long, requests go on without it. */
  async function recall(cache: KeyCache): Promise<void> {
    if (!lookup) {
      lookup = cache.read().then((found) => {
        // Keys from the issuer may have come first. Keys whose time is ahead of this clock would count as too young.
        if (found && !held && ageOf(found) >= 0) {
          hold(found)
        }
      })
      waitUntil(lookup)
    }
    await withDeadline(lookup, times.cache, () => {
      lookup = Promise.resolve()
    })
  }

  /** Equal keys stay the same object, so that imported keys and remembered tokens stay valid. */
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

  /** A 500 and never a 401, since the caller is not at fault. */
  function unavailable(spacing?: number): ApiError {
    return new ApiError(
      [{ code: 'INTERNAL_SERVER_ERROR', detail: 'The request cannot be served at the moment.' }],
      { 'Retry-After': String(attempts.retryAfter(spacing)) },
      { cause: attempts.cause() },
    )
  }
}
