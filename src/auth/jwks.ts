import { errors } from 'jose'
import { ApiError } from '../jsonapi/errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { type Fetch, type FindKey, fetchKeySet, type KeySet } from './key-set.ts'

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

/** Where the keys are, and the three things the outside world is made of. */
export interface RemoteKeysOptions {
  readonly url: string
  readonly fetch?: Fetch
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Keeps a fetch alive when the request that started it is cancelled: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/** One fetch of the key set. `ended` never rejects, but may never settle if its request was cancelled. */
interface Attempt {
  readonly at: number
  readonly ended: Promise<void>
  outcome?: 'taken' | 'failed'
  cause?: unknown
}

/** Milliseconds (contract, section 3). Held keys serve at once after `fresh`, up to `held`, while one refresh runs. */
const times = {
  fresh: 10 * 60_000,
  held: 24 * 60 * 60_000,
  cooldown: 30_000,
  timeout: 2_000,
  // For the end of an attempt to reach those who wait for it before they lose patience.
  grace: 250,
  firstPause: 1_000,
  longestPause: 30_000,
}

/** A key set read from a URL. Nothing is fetched before the first token. */
export function remoteKeys(options: RemoteKeysOptions): RemoteKeys {
  const { url, clock = Date.now, waitUntil = () => {} } = options
  // Looked up at each call, so that a fetch replaced later (by a test) is the one used.
  const get = options.fetch ?? ((...request: Parameters<Fetch>) => fetch(...request))
  let held: { keys: KeySet; at: number } | undefined
  let version = 0
  let last: Attempt | undefined
  let failures = 0
  let pause = 0

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
    await refresh(() => since(last) >= times.cooldown)
    const renewed = usable()
    if (last?.outcome !== 'taken' || !renewed) {
      throw unavailable(times.cooldown)
    }
    return renewed.find(...token)
  }

  /** The keys to verify with now: stale ones rather than a wait, a wait rather than none. */
  async function current(): Promise<KeySet> {
    const keys = usable()
    if (!keys) {
      await refresh(() => !usable() && since(last) >= pause)
    } else if (since(held) >= times.fresh && !underWay() && since(last) >= pause) {
      start()
    }
    const found = keys ?? usable()
    if (!found) {
      throw unavailable(pause)
    }
    return found
  }

  /** Waits for the attempt under way, or else makes one where one is due. */
  async function refresh(due: () => boolean): Promise<void> {
    for (let attempt = underWay(); attempt; attempt = underWay()) {
      if (await settles(attempt.ended, times.timeout + times.grace)) {
        return
      }
      abandon(attempt)
    }
    if (due()) {
      await start().ended
    }
  }

  function start(): Attempt {
    const attempt: Attempt = {
      at: clock(),
      ended: fetchInTime(url, get).then(
        (keys) => take(attempt, keys),
        (cause) => fail(attempt, cause),
      ),
    }
    last = attempt
    waitUntil(attempt.ended)
    return attempt
  }

  /** The attempt nobody has seen the end of, unless it is too old to have one. */
  function underWay(): Attempt | undefined {
    if (last && since(last) > times.timeout + times.grace) {
      abandon(last)
    }
    return last?.outcome ? undefined : last
  }

  function take(attempt: Attempt, keys: KeySet): void {
    if (attempt.outcome) {
      return
    }
    attempt.outcome = 'taken'
    failures = 0
    // The same keys stay the same object: their imported form and the verified tokens remain good.
    const same = held?.keys.fingerprint === keys.fingerprint ? held.keys : undefined
    if (!same) {
      version += 1
    }
    held = { keys: same ?? keys, at: attempt.at }
  }

  /** Failures in a row space the attempts out, counted from the start of each, with jitter. */
  function fail(attempt: Attempt, cause: unknown): void {
    if (attempt.outcome) {
      return
    }
    attempt.outcome = 'failed'
    attempt.cause = cause
    pause = Math.min(times.longestPause, times.firstPause * 2 ** failures) * jitter()
    failures += 1
  }

  /** A promise made in a cancelled request never settles: whoever notices it moves on. */
  function abandon(attempt: Attempt): void {
    fail(attempt, new Error('key set request was abandoned'))
  }

  function usable(): KeySet | undefined {
    return since(held) < times.held ? held?.keys : undefined
  }

  function since(event: { readonly at: number } | undefined): number {
    return event ? clock() - event.at : Number.POSITIVE_INFINITY
  }

  /** Not the caller's fault: never a 401. `wait` counts from the last attempt. */
  function unavailable(wait: number): ApiError {
    const seconds = Math.max(1, Math.ceil((wait - since(last)) / 1000))
    return new ApiError(
      [{ code: 'INTERNAL_SERVER_ERROR', detail: 'The request cannot be served at the moment' }],
      { 'Retry-After': String(seconds) },
      { cause: last?.cause },
    )
  }
}

/** Fetches the key set, body included, within the time limit; what is left of the exchange is cancelled. */
async function fetchInTime(url: string, get: Fetch): Promise<KeySet> {
  const controller = new AbortController()
  try {
    const keys = fetchKeySet(url, get, controller.signal)
    if (await settles(keys, times.timeout)) {
      return await keys
    }
    throw new Error(`key set endpoint gave no answer in ${times.timeout} ms`)
  } finally {
    controller.abort()
  }
}

/** Does the promise settle in time? Rejects as the promise does. */
function settles(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return withDeadline(
    promise.then(() => true),
    milliseconds,
    () => false,
  )
}

function jitter(): number {
  return 1 - Math.random() / 4
}
