import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose'
import * as z from 'zod/mini'
import { ApiError } from '../jsonapi/problems.ts'
import { withDeadline } from '../lib/deadline.ts'

/** The signature algorithms that are accepted, all of them asymmetric. */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** Milliseconds. */
const times = {
  /** How long the issuer may take to answer. */
  timeout: 2_000,
  /** How long a request waits for a fetch: long enough to see its time-out. */
  patience: 2_500,
  /** Older keys are fetched again before they are used. */
  fresh: 10 * 60_000,
  /** Older keys are not used, even if the issuer fails. */
  maxAge: 24 * 60 * 60_000,
  /** The pause between two fetches. */
  cooldown: 30_000,
  /** The pause between two fetches while there are no keys at all. */
  retry: 5_000,
}

/** The seconds for which Cloudflare's cache in a data centre keeps the key set. */
const cacheTtl = 180

/** The maximum length of a key set, in characters. */
const maxKeySetLength = 64 * 1024

/** The length of a modulus of 2,048 bits, as base64url. */
const minModulus = 342

/** The published keys of a token issuer. */
export type RemoteKeys = ReturnType<typeof createRemoteKeys>

/** Hears of failures after which the keys still serve. */
export interface KeyFaults {
  /** A fetch has failed while old keys are in use. */
  readonly onStale: (cause: unknown) => void
  /** A token names a key that the platform cannot import. Called once for each fetch. */
  readonly onUnusable: (cause: unknown) => void
}

/**
 * Fetches the keys of an issuer, and keeps them in jose's local key set. Old keys stay in use while the issuer fails, and all requests
 * share one fetch; no other begins until 30 s after it began, or 5 s while there are no keys.
 *
 * @param waitUntil lets a fetch go on after the request that started it has ended
 */
export function createRemoteKeys(
  url: string,
  { onStale, onUnusable }: KeyFaults,
  waitUntil: (promise: Promise<unknown>) => void = () => {},
) {
  let keySet = createLocalJWKSet({ keys: [] })
  let fetchedAt = 0
  let fetches = 0
  /** The fetch whose keys {@link KeyFaults.onUnusable} was called for last. */
  let reported = 0
  let last: { readonly at: number; readonly ended: Promise<void> } | undefined
  const isYoungerThan = (age: number): boolean => Date.now() - fetchedAt < age

  return { find, ready }

  /**
   * Finds the key that the header of a token names.
   *
   * @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys, or ApiError 500 if the keys cannot be fetched
   */
  async function find(...token: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> {
    await ready()
    try {
      return await chosen(...token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) {
        throw error
      }
      // The issuer may have published the key since it was asked. The data centre's cache does not know of that.
      if (fetches === 1) {
        last = undefined
      }
      await refresh()
      return chosen(...token)
    }
  }

  /** jose's choice of a key. One that the platform cannot import counts as not published. */
  async function chosen(...token: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> {
    try {
      return await keySet(...token)
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        throw error
      }
      if (reported !== fetches) {
        reported = fetches
        onUnusable(error)
      }
      throw new errors.JWKSNoMatchingKey()
    }
  }

  /** Fetches the keys if they are missing or old. Rejects if there are none to use. */
  async function ready(): Promise<void> {
    if (!isYoungerThan(times.fresh)) {
      await refresh().catch((error) => {
        // Old keys stay in use while the issuer fails.
        if (!isYoungerThan(times.maxAge)) {
          throw error
        }
      })
    }
  }

  /** Fetches the keys, or gives the outcome of the last fetch until the pause is over. */
  function refresh(): Promise<void> {
    const pause = isYoungerThan(times.maxAge) ? times.cooldown : times.retry
    if (!last || Date.now() - last.at >= pause) {
      last = { at: Date.now(), ended: load(pause / 1000) }
      waitUntil(last.ended.catch(() => {}))
    }
    // A fetch may never end if the platform has cancelled the request that started it.
    return withDeadline(last.ended, times.patience, () => {
      throw noKeys(new Error('key set endpoint gave no answer'), pause / 1000)
    })
  }

  async function load(retryAfter: number): Promise<void> {
    fetches += 1
    try {
      keySet = createLocalJWKSet({ keys: await fetchKeys(url, fetches === 1) })
      fetchedAt = Date.now()
    } catch (cause) {
      const error = noKeys(cause, retryAfter)
      if (isYoungerThan(times.maxAge)) {
        onStale(error.cause)
      }
      throw error
    }
  }
}

/** The error if the keys cannot be fetched. It is a 500, because the caller's token may be good. */
function noKeys(cause: unknown, retryAfter: number): ApiError {
  const detail =
    'The keys of the authorization server cannot be fetched at the moment, so that no token can be checked.'
  return ApiError.failure(detail, new Error('key set cannot be fetched', { cause }), retryAfter)
}

const keySetSchema = z.object({ keys: z.array(z.unknown()) })

/** Fetches the keys of a key set that are usable. @throws Error if there are none */
async function fetchKeys(url: string, isFirst: boolean): Promise<JWK[]> {
  const response = await fetch(url, {
    // jose's own requests name themselves, too.
    headers: { 'User-Agent': 'users-countries-currencies' },
    redirect: 'manual',
    signal: AbortSignal.timeout(times.timeout),
    // Later fetches look for newer keys than those in the data centre's cache.
    ...(isFirst ? { cf: { cacheTtl, cacheEverything: true } } : { cache: 'no-store' }),
  })
  if (response.status !== 200) {
    // An answer that is not read holds one of the few connections of a request.
    await response.body?.cancel()
    throw new Error(`key set endpoint answered ${response.status}`)
  }
  const text = await response.text()
  if (text.length > maxKeySetLength) {
    throw new Error(`key set is larger than ${maxKeySetLength} characters`)
  }
  const keys = keySetSchema.parse(JSON.parse(text)).keys.filter(isUsable).map(forVerification)
  if (keys.length === 0) {
    throw new Error('key set has no usable key')
  }
  return keys
}

/** Is this a public key that is not easy to forge with? */
function isUsable(published: unknown): published is JWK {
  const { kty, d, n } = Object(published) as JWK
  const isLong = typeof n === 'string' && n.length >= minModulus
  return d === undefined && (kty === 'RSA' ? isLong : kty === 'EC' || kty === 'OKP')
}

/** The key for verification alone: [no public key](https://w3c.github.io/webcrypto/#ecdsa-operations-import-key) may sign, too. */
function forVerification(key: JWK): JWK {
  const verifies = Array.isArray(key.key_ops) && key.key_ops.includes('verify')
  return verifies ? { ...key, key_ops: ['verify'] } : key
}
