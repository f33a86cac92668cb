import { afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { type RemoteKeys, remoteKeys } from '../../../src/auth/keys.ts'
import { createVerifier, type Verify } from '../../../src/auth/token.ts'
import { endpoint, issuer, published, rules, type SigningKey, signingKey, start } from './issuer.ts'

/** The time of the tests, in milliseconds since the epoch; they may move it. */
export const time = {
  set now(milliseconds: number) {
    vi.setSystemTime(milliseconds)
  },
}

/** Every algorithm that is taken. */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const signers = new Map<string, SigningKey>()

/** The ES256 and the RS256 key among those published, one for each algorithm. */
export let key: SigningKey
export let rsa: SigningKey

/** Where the keys come from; it publishes all of them unless it is told otherwise. */
export let jwks: ReturnType<typeof endpoint>

/** The keys the verifier uses, counting how often it asks for one: once for each verification. */
export let keys: RemoteKeys & { finds: number }
/** The verifier under test. */
export let verifyHeader: Verify
/** Verifies a token in a well-formed header. */
export const verify = (token: string) => verifyHeader(`Bearer ${token}`)

/** Begins each test of a file with a verifier that has fetched and remembered nothing. */
export function useVerifier(): void {
  beforeAll(async () => {
    // Files share them: a pair of RSA takes a while to find.
    for (const alg of algorithms.filter((each) => !signers.has(each))) {
      signers.set(alg, await signingKey(`${alg}-key`, alg))
    }
    key = keyFor('ES256')
    rsa = keyFor('RS256')
  })

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    jwks = endpoint(() => published(...signers.values()))
    vi.stubGlobal('fetch', jwks.fetch)
    const remote = remoteKeys({ url: 'https://issuer.example/jwks' })
    keys = {
      finds: 0,
      version: remote.version,
      ready: remote.ready,
      find: (...token) => {
        keys.finds += 1
        return remote.find(...token)
      },
    }
    const resource = { resourceMetadata: 'https://api.example/meta' }
    verifyHeader = createVerifier({ ...rules, issuer, keys, resource })
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
}

/** The published key for an algorithm. */
export function keyFor(alg: string): SigningKey {
  const found = signers.get(alg)
  if (!found) {
    throw new Error(`no key for ${alg}`)
  }
  return found
}
