import { errors } from 'jose'
import { afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { type KeyCache, type RemoteKeys, remoteKeys } from '../../../src/auth/keys.ts'
import { endpoint, outcome, published, refusalOf, type SigningKey, signingKey } from './issuer.ts'

/** Milliseconds. */
export const minute = 60_000
export const hour = 60 * minute

/** Where the issuer publishes its keys. */
export const url = 'https://issuer.example/jwks'

/** Two keys; the endpoint publishes the first, `a`, unless it is told otherwise. */
export let a: SigningKey
export let b: SigningKey
/** Where the keys come from. */
export let jwks: ReturnType<typeof endpoint>

/** The keys under test, and what they gave to `waitUntil`. */
export let keys: RemoteKeys
export let background: Promise<unknown>[]

/** Begins each test of a file with nothing fetched, on a clock that only {@link pass} and vitest move. */
export function useRemoteKeys(): void {
  beforeAll(async () => {
    a = await signingKey('a')
    b = await signingKey('b')
  })

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    // By this jose knows Workers, where no request may wait for the fetch of another one.
    vi.stubGlobal('WebSocketPair', class {})
    // The shortest pauses that jitter allows.
    vi.spyOn(Math, 'random').mockReturnValue(1)
    jwks = endpoint(() => published(a))
    vi.stubGlobal('fetch', jwks.fetch)
    background = []
    startIsolate()
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
}

/** Puts the keys of an isolate that has just started in place of those under test. */
export function startIsolate(cache?: KeyCache): void {
  keys = remoteKeys({
    url,
    ...(cache && { cache }),
    waitUntil: (promise) => background.push(promise),
  })
}

/** Asks for a key as a token's header would. */
export async function find(kid: string, alg = 'ES256'): Promise<CryptoKey> {
  return (await keys.find({ alg, kid }, { payload: '', signature: '' })).key
}

/** Moves the clock, but fires no timer. */
export function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds)
}

/** Does the promise settle without any timer, fetch or cryptography? */
export function settlesAtOnce(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ])
}

/** Does the key come? `unknown` when the issuer does not publish it, a status when it cannot be known. */
export async function answer(kid: string): Promise<'found' | 'unknown' | number> {
  const result = await outcome(() => find(kid))
  if (result instanceof CryptoKey) {
    return 'found'
  }
  if (result instanceof errors.JWKSNoMatchingKey) {
    return 'unknown'
  }
  return (await refusalOf(() => Promise.reject(result))).status
}
