import {
  createRemoteJWKSet,
  customFetch,
  type ExportedJWKSCache,
  errors,
  type FlattenedJWSInput,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWKSCacheInput,
  type JWSHeaderParameters,
  jwksCache,
} from 'jose'
import * as z from 'zod/mini'
import { ApiError } from '../jsonapi/errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { createSigner, type KeyRing } from '../lib/key-ring.ts'

/*
 * The keys of the issuer: which of them are used (`usableKeys`), how an isolate fetches, holds and renews them (`remoteKeys`), and how
 * the isolates of a data centre share them (`createKeyCache`). They stand together because keys are judged by one rule and live by one
 * table of times, whichever way they have come.
 *
 * jose's remote key set fetches the keys, holds them, and finds the one that a token names. This file has what the contract
 * (section 3) asks for beyond that. Quotations are from jose 6.2.17, dist/webapi/jwks/remote.js:
 *
 * - Old keys serve while the issuer fails. `(!local || !isFreshFor(jwksTimestamp, cacheMaxAge)) && await reload()` waits for a
 *   refresh of old keys, and throws where it fails. So jose is told that keys never grow old, and their age is judged here.
 * - One fetch serves all requests, and outlives the request that began it. `pendingFetch && isCloudflareWorkers() &&
 *   (pendingFetch = void 0)` begins a fetch for each request, because a promise of a cancelled request never settles.
 * - Failed fetches are followed by pauses, and count for the cool-down on unknown keys. `isFreshFor(jwksTimestamp,
 *   cooldownDuration)` counts from the last fetch that succeeded. So jose is told that it always cools down.
 * - A data centre's cache may be slow. `const { uat, jwks } = cache` is read when the set is made, so that it is made again.
 * - An answer is bounded, and unusable keys are dropped. `await response.json()` takes any. What jose fetches with does both.
 * - A fetch that hangs fails before the requests that wait for it lose patience. Where `AbortSignal.timeout(timeoutDuration)` ends it
 *   on a busy machine, they have lost it (`lab/reliability/faults`, "keys: hangs"). So the time limit is that of all waits here.
 */

/** The signature algorithms that are accepted, all of them asymmetric (contract, section 3; RFC 8725, section 3.1). */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** A key, and the version of the key set that it was found in. */
interface Found {
  readonly key: CryptoKey
  readonly version: number
}

/** The published keys of a token issuer, which each isolate remembers. */
export interface RemoteKeys {
  /**
   * The key that the header of a token names.
   *
   * @throws JWKSNoMatchingKey when the issuer does not publish the key, JWKSMultipleMatchingKeys when several keys match,
   * ApiError 500 with `Retry-After` when there are no keys to look in
   */
  find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<Found>
  /** A number that is another one after each fetch of keys. */
  version(): number
  /** Rejects when there are no keys to verify with. */
  ready(): Promise<unknown>
}

/** A cache that isolates share, with the last good key set of an issuer (contract, section 3). */
export interface KeyCache {
  /** The keys that were written last; undefined where there are none, or they cannot be trusted. Never rejects. */
  read(): Promise<ExportedJWKSCache | undefined>
  /** Writes keys, for as long as they may serve. Never rejects. */
  write(keys: ExportedJWKSCache): Promise<void>
}

/** The URL of the keys, and what an isolate looks in and is kept alive by. */
export interface RemoteKeysOptions {
  readonly url: string
  /** The cache in which an isolate that has no keys looks before it asks the issuer. */
  readonly cache?: KeyCache
  /** Keeps work alive when the request that began it is cancelled: `waitUntil` of `cloudflare:workers`. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/** Milliseconds. The first three are ages of keys, counted from the start of their fetch (contract, section 3). */
const times = {
  /** Younger keys serve, and no newer ones are fetched. */
  fresh: 10 * 60_000,
  /** Younger keys serve at once while one refresh runs. A request with older keys waits for the refresh. */
  stale: 15 * 60_000,
  /** Younger keys serve where the refresh has failed. */
  served: 24 * 60 * 60_000,
  /** Between attempts that are made because a token asks for an unknown key. */
  cooldown: 30_000,
  /** How long the issuer may take to answer, and how long a request with old keys waits for newer ones. */
  timeout: 2_000,
  /** After this an attempt counts as abandoned. Until then its outcome reaches the requests that wait for it. */
  patience: 2_250,
  /** How long the cache may take to answer. */
  cache: 250,
  /** The pauses after a failed attempt: the first, doubled by each further failure up to the longest. */
  firstPause: 1_000,
  longestPause: 30_000,
}

/** The most bytes of a key set, the most keys that are taken from it, and the fewest bits of an RSA modulus. */
const limits = { bytes: 64 * 1024, keys: 50, modulus: 2048 }

/** A fetch of the keys. `ended` never rejects, but may never settle if the request that began the fetch was cancelled. */
interface Attempt {
  readonly at: number
  /** The set that it fills, which serves once it has succeeded. Keys that come from the cache meanwhile are in another set. */
  readonly keySet: KeySet
  readonly ended: Promise<void>
  outcome?: Outcome
  cause?: unknown
}

/** jose's remote key set. */
type KeySet = ReturnType<typeof createRemoteJWKSet>

type Outcome = 'succeeded' | 'failed' | 'abandoned'

const never = Number.NEGATIVE_INFINITY

/** Makes the keys that are published at a URL. Nothing is fetched before the first token is verified. */
export function remoteKeys({ url, cache, waitUntil = () => {} }: RemoteKeysOptions): RemoteKeys {
  let keySet = keySetWith({})
  let fetchedAt = never
  let lookup: Promise<void> | undefined
  let last: Attempt | undefined
  let failedAt = never
  let failures = 0
  let pause = 0

  return { find, version: () => fetchedAt, ready: current }

  function keySetWith(held: JWKSCacheInput): KeySet {
    return createRemoteJWKSet(new URL(url), {
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: Number.POSITIVE_INFINITY,
      headers: { Accept: 'application/jwk-set+json, application/json' },
      [jwksCache]: held,
      [customFetch]: fetchUsable,
    })
  }

  async function find(...token: Parameters<RemoteKeys['find']>): Promise<Found> {
    await current()
    try {
      return await look(...token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) {
        throw error
      }
    }
    // The issuer may have published the key since the last fetch.
    if (!(await refresh(times.cooldown))) {
      throw unavailable(times.cooldown)
    }
    return look(...token)
  }

  async function look(...token: Parameters<RemoteKeys['find']>): Promise<Found> {
    // Other keys may come while this one is imported.
    const version = fetchedAt
    return { key: await keySet(...token), version }
  }

  /** Waits until there are keys to verify with. While the issuer does not answer, requests with old keys do not wait for it. */
  async function current(): Promise<void> {
    if (cache && fetchedAt === never) {
      await recall(cache)
    }
    const isFailing = since(failedAt) < times.longestPause + times.patience
    if (since(fetchedAt) >= times.served) {
      await refresh()
    } else if (since(fetchedAt) >= times.stale && !isFailing) {
      await withDeadline(refresh(), times.timeout, () => false)
    } else if (since(fetchedAt) >= times.fresh && !underWay()) {
      void refresh()
    }
    if (since(fetchedAt) >= times.served) {
      throw unavailable()
    }
  }

  /** Looks for keys in the cache, once per isolate. When the cache takes too long, requests go on without it. */
  async function recall(cache: KeyCache): Promise<void> {
    if (!lookup) {
      lookup = cache.read().then((found) => {
        // Keys from the issuer may have come first. Keys with a time in the future would seem too young for too long.
        if (found && fetchedAt === never && found.uat <= Date.now()) {
          keySet = keySetWith(found)
          fetchedAt = found.uat
        }
      })
      waitUntil(lookup)
    }
    await withDeadline(lookup, times.cache, () => {
      lookup = Promise.resolve()
    })
  }

  /**
   * Waits for the attempt under way. Where there is none, makes one if the last one began long enough ago. Never rejects.
   *
   * @param spacing the milliseconds that must have passed since the last attempt began; the pause after failures if absent
   * @returns true where the last attempt has succeeded
   */
  async function refresh(spacing?: number): Promise<boolean> {
    for (let attempt = underWay(); attempt; attempt = underWay()) {
      const left = times.patience - since(attempt.at)
      await withDeadline(attempt.ended, left, () => abandon(attempt))
      if (attempt.outcome !== 'abandoned') {
        return attempt.outcome === 'succeeded'
      }
    }
    if (since(last?.at) >= (spacing ?? pause)) {
      await begin()
    }
    return last?.outcome === 'succeeded'
  }

  function begin(): Promise<void> {
    const fetched = keySetWith({})
    const ended = fetched.reload().then(
      () => end(attempt, 'succeeded'),
      (cause) => end(attempt, 'failed', cause),
    )
    const attempt: Attempt = { at: Date.now(), keySet: fetched, ended }
    last = attempt
    waitUntil(ended)
    return ended
  }

  /** The attempt that has not ended. */
  function underWay(): Attempt | undefined {
    if (last && since(last.at) > times.patience) {
      abandon(last)
    }
    return last?.outcome ? undefined : last
  }

  function abandon(attempt: Attempt): void {
    end(attempt, 'abandoned', new Error('key set request was abandoned'))
  }

  /** Ends an attempt, once. Each failure in a row doubles the pause before the next one. The pause is shortened at random. */
  function end(attempt: Attempt, outcome: Outcome, cause?: unknown): void {
    if (attempt.outcome) {
      return
    }
    attempt.outcome = outcome
    attempt.cause = cause
    if (outcome !== 'succeeded') {
      failedAt = attempt.at
      pause = Math.min(times.longestPause, times.firstPause * 2 ** failures)
      pause *= 1 - Math.random() / 4
      failures += 1
      return
    }
    failures = 0
    fetchedAt = attempt.at
    keySet = attempt.keySet
    const jwks = keySet.jwks()
    if (cache && jwks) {
      waitUntil(cache.write({ jwks, uat: fetchedAt }))
    }
  }

  /** The error where there are no keys: a 500 and never a 401, because the caller is not at fault. */
  function unavailable(spacing = pause): ApiError {
    const detail =
      'The keys of the authorization server cannot be fetched at the moment, so that no token can be checked.'
    const retryAfter = Math.max(1, Math.ceil((spacing - since(last?.at)) / 1000))
    return ApiError.failure(detail, last?.cause, retryAfter)
  }
}

/** The milliseconds since a time. */
function since(at = never): number {
  return Date.now() - at
}

/** Members of private and symmetric keys (RFC 7518, section 6). A key that was published with one of them is not secret. */
const secrets = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** The algorithm for importing a key that names none, by its curve. */
const algorithmOf: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
}

/**
 * Fetches a JWK set for jose within a time limit, body included. After that the exchange is cancelled.
 *
 * @throws Error when the answer is late, and where {@link exchange} throws
 */
async function fetchUsable(url: string, init: RequestInit): Promise<Response> {
  const controller = new AbortController()
  const { signal } = controller
  try {
    return await withDeadline(exchange(url, { ...init, signal }), times.timeout, () => {
      throw new Error(`key set endpoint gave no answer in ${times.timeout} ms`)
    })
  } finally {
    controller.abort()
  }
}

/**
 * Asks for a JWK set (RFC 7517, section 5), and gives its usable keys.
 *
 * @throws Error when the endpoint cannot be reached, when the answer is not 200, not UTF-8 or too large, and where
 * {@link usableKeys} throws
 */
async function exchange(url: string, init: RequestInit): Promise<Response> {
  // A cache on the way may have keys that the issuer has withdrawn.
  const request = fetch(url, { ...init, cache: 'no-store' })
  const response = await request.catch((cause) => {
    throw new Error(`key set endpoint ${url} cannot be reached`, { cause })
  })
  if (response.status !== 200) {
    throw new Error(`key set endpoint answered ${response.status}`)
  }
  return Response.json(await usableKeys(await readText(response)))
}

/**
 * Reads a JWK set, and takes the first 50 keys that can verify a token. Private, symmetric, encryption and broken keys are
 * dropped.
 *
 * @throws Error when the text is not JSON or not a key set, or no key of it can be used
 */
async function usableKeys(text: string): Promise<JSONWebKeySet> {
  const message = 'must be a JWK set'
  const keySet = z.object({ keys: z.array(z.custom<JWK>(), message) }, message)
  const published = keySet.parse(JSON.parse(text))
  const keys: JWK[] = []
  for (const jwk of published.keys) {
    if ((await isUsable(jwk)) && keys.push(jwk) === limits.keys) {
      break
    }
  }
  if (keys.length === 0) {
    throw new Error('key set holds no usable key')
  }
  return { keys }
}

/** Can the runtime verify with this, whatever it is? RSA keys need 2048 bits at least (RFC 7518, section 3.3). */
async function isUsable(jwk: JWK): Promise<boolean> {
  try {
    const { use = 'sig', alg = algorithmOf[jwk.crv ?? ''] ?? 'RS256' } = jwk
    const key = await importJWK({ ...jwk }, alg)
    return (
      use === 'sig' &&
      algorithms.includes(alg) &&
      !secrets.some((member) => Object.hasOwn(jwk, member)) &&
      key instanceof CryptoKey &&
      !('modulusLength' in key.algorithm && Number(key.algorithm.modulusLength) < limits.modulus)
    )
  } catch {
    return false
  }
}

/** Reads the text of a body within the limit. An error in the loop cancels the rest of the body. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let size = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > limits.bytes) {
      throw new Error(`key set is larger than ${limits.bytes} bytes`)
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The cache, the key set in it, and the key ring that authenticates it. */
export interface KeyCacheOptions {
  /** The data centre's cache: `caches.default`. */
  readonly store: {
    match(url: string): Promise<Response | undefined>
    put(url: string, response: Response): Promise<void>
  }
  readonly ring: KeyRing
  /** The URL at which the issuer publishes its keys. Keys of another URL are ignored. */
  readonly url: string
  /** A URL whose host exists, preferably that of the service: the platform looks up the host of each address in its cache. */
  readonly base: string
}

/**
 * Makes a cache of key sets in a data centre. An entry is a text and the code that authenticates it. The address of an entry is a
 * code, too, so that environments that share a domain and have different key rings have separate entries.
 */
export function createKeyCache({ store, ring, url, base }: KeyCacheOptions): KeyCache {
  const signer = createSigner(ring, 'key set cache')
  const address = async (): Promise<string> => new URL(await signer.sign(url), base).href

  async function read(): Promise<ExportedJWKSCache | undefined> {
    const response = await store.match(await address())
    const [code = '', text = ''] = (await response?.text())?.split(/\.(.*)/s) ?? []
    if (!(await signer.verify(text, code))) {
      return undefined
    }
    const schema = z.object({ url: z.literal(url), at: z.number(), keys: z.string() })
    const { at, keys } = schema.parse(JSON.parse(text))
    // The keys are checked again, because another version of the service with other checks may have written them.
    return { uat: at, jwks: await usableKeys(keys) }
  }

  async function write({ jwks, uat }: ExportedJWKSCache): Promise<void> {
    const text = JSON.stringify({ url, at: uat, keys: JSON.stringify(jwks) })
    const headers = { 'Cache-Control': `max-age=${times.served / 1000}` }
    await store.put(
      await address(),
      new Response(`${await signer.sign(text)}.${text}`, { headers }),
    )
  }

  return {
    read: () => read().catch(() => undefined),
    write: (keys) => write(keys).catch(() => {}),
  }
}
