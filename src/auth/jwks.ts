import { errors } from 'jose'
import { ApiError } from '../jsonapi/errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { createKeyAttempts } from './key-attempts.ts'
import type { FetchedKeys, KeyCache } from './key-cache.ts'
import { type Fetch, type FindKey, fetchKeySet, type KeySet, longestServedMs } from './key-set.ts'

/** The published keys of a token issuer, which each isolate remembers. */
export interface RemoteKeys {
  /**
   * The key that the header of a token names.
   *
   * @throws JWKSNoMatchingKey when the issuer does not publish the key, JWKSMultipleMatchingKeys when several keys match,
   * ApiError 500 with `Retry-After` when there are no keys to look in
   */
  readonly find: FindKey
  /** A number that grows whenever the keys change. */
  readonly version: () => number
  /** Rejects when there are no keys to verify with. */
  readonly ready: () => Promise<unknown>
}

/** The URL of the keys, and the parts of the platform that are used, which tests replace. */
export interface RemoteKeysOptions {
  readonly url: string
  /** The cache in which an isolate that has no keys looks before it asks the issuer. */
  readonly cache?: KeyCache
  readonly fetch?: Fetch
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Keeps work alive when the request that began it is cancelled: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/** Milliseconds. The first three are ages of keys, counted from their fetch (contract, section 3). */
const times = {
  /** Younger keys serve, and no newer ones are fetched. */
  fresh: 10 * 60_000,
  /** Younger keys serve at once while one refresh runs. A request with older keys waits for the refresh. */
  stale: 15 * 60_000,
  /** Younger keys serve where the refresh has failed. */
  served: longestServedMs,
  /** Between attempts that are made because a token asks for an unknown key. */
  cooldown: 30_000,
  /** How long the issuer may take to answer, and how long a request with old keys waits for newer ones. */
  timeout: 2_000,
  /** How long the cache may take to answer. */
  cache: 250,
}

/** What a caller is told where there are no keys to check tokens with: it is at no fault, and somebody has to know which server is. */
const keysAreOut =
  'The keys of the authorization server cannot be fetched at the moment, so that no token can be checked.'

/** Makes the keys that are published at a URL. Nothing is fetched before the first token is verified. */
export function remoteKeys(options: RemoteKeysOptions): RemoteKeys {
  const { url, cache, clock = Date.now, waitUntil = () => {} } = options
  // `fetch` is looked up at each call, so that a test can replace it later.
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

  return { find, version: () => version, ready: current }

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

  /** The keys to verify with. While the issuer does not answer, requests with old keys do not wait for it. */
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

  /** Looks for keys in the cache, once per isolate. When the cache takes too long, requests go on without it. */
  async function recall(cache: KeyCache): Promise<void> {
    if (!lookup) {
      lookup = cache.read().then((found) => {
        // Keys from the issuer may have come first. Keys with a time in the future would seem too young for too long.
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

  /** Remembers keys. Keys that are equal to those before stay the same object, so that remembered tokens stay valid. */
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

  /** The error where there are no keys: a 500 and never a 401, because the caller is not at fault. */
  function unavailable(spacing?: number): ApiError {
    return new ApiError(
      [{ code: 'INTERNAL_SERVER_ERROR', detail: keysAreOut }],
      { 'Retry-After': String(attempts.retryAfter(spacing)) },
      { cause: attempts.cause() },
    )
  }
}
