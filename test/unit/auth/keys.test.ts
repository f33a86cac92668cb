import { exportJWK } from 'jose'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  goodClaims,
  jwks,
  key,
  onStale,
  onUnusable,
  pass,
  published,
  refusalOf,
  type SigningKey,
  sign,
  signingKey,
  useIssuer,
  verify,
} from './issuer.ts'

useIssuer()

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

let other: SigningKey
beforeAll(async () => {
  other = await signingKey('b')
})

/** The status of a request with a new token that is signed with a key: 200, or that of the refusal. */
async function ask(signer: SigningKey = key, header: object = {}): Promise<number> {
  const exp = Math.floor(Date.now() / second) + 300
  const token = await sign(signer, { ...goodClaims, exp, jti: crypto.randomUUID() }, header)
  return verify(token).then(
    () => 200,
    async (error) => (await refusalOf(() => Promise.reject(error))).status,
  )
}

const down = () => new Response('', { status: 503 })

describe('the keys of the issuer', () => {
  it('are fetched once for all requests that wait, and not again for 10 minutes', async () => {
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200])
    pass(10 * minute - 1)
    expect(await ask()).toBe(200)
    expect(jwks.fetches).toBe(1)
  })

  it('are fetched again after 10 minutes, before they are used: a withdrawn key is refused', async () => {
    await ask()
    jwks.answer = () => published(other)
    pass(10 * minute)
    expect(await Promise.all([ask(), ask(), ask(other)])).toEqual([401, 401, 200])
    expect(jwks.fetches).toBe(2)
  })

  it('may come from the cache of the data centre the first time, and not later', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch')
    await ask()
    expect(fetching.mock.lastCall?.[1]).toHaveProperty('cf', {
      cacheTtl: 180,
      cacheEverything: true,
    })
    pass(10 * minute)
    await ask()
    expect(fetching.mock.lastCall?.[1]).toMatchObject({ cache: 'no-store' })
    expect(fetching.mock.lastCall?.[1]).not.toHaveProperty('cf')
  })
})

/** How an issuer can fail, and a word of what the log says then. */
const failures: Readonly<
  Record<string, readonly [word: string, () => Response | Promise<Response>]>
> = {
  'answers 503': ['503', down],
  'answers 203 with keys': ['203', () => Response.json({ keys: [key.jwk] }, { status: 203 })],
  'answers HTML': ['JSON', () => new Response('<html></html>')],
  'answers no key set': ['keys', () => Response.json({ kids: [] })],
  'publishes no key': ['no usable key', () => published()],
  'publishes secrets alone': [
    'no usable key',
    async () => published({ ...(await exportJWK(key.privateKey)), kid: key.kid }),
  ],
  'answers more than 64 KiB': [
    '65536',
    () => Response.json({ keys: [key.jwk], more: 'x'.repeat(65_536) }),
  ],
  'cannot be reached': ['fetch', () => Promise.reject(new TypeError('fetch failed'))],
}

/** The messages of an error and of what caused it, as they are logged. */
function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : ''
}

describe('an issuer', () => {
  it.each(Object.entries(failures))(
    'that %s leaves a new isolate without keys: 500 with Retry-After, and the log says why',
    async (_what, [word, fail]) => {
      jwks.answer = fail
      const refusal = await refusalOf(async () => verify(await sign(key)))
      expect(refusal).toMatchObject({ status: 500, retryAfter: '5', challenge: '' })
      expect(refusal.detail).toContain('keys of the authorization server')
      expect(messagesOf(refusal.cause)).toContain(word)
    },
  )

  it('that fails leaves other isolates their old keys for 24 hours', async () => {
    await ask()
    jwks.answer = down
    pass(24 * hour - 1)
    expect(await ask()).toBe(200)
    expect(jwks.fetches).toBe(2)
    pass(minute)
    expect(await ask()).toBe(500)
    jwks.answer = () => published(key)
    pass(5 * second)
    expect(await ask()).toBe(200)
  })
})

describe('an issuer that fails', () => {
  /** How many fetches requests in each of 60 seconds cause. */
  async function fetchesInAMinute(signer?: SigningKey): Promise<number> {
    const before = jwks.fetches
    for (let tick = 0; tick < 60; tick++) {
      await ask(signer)
      pass(second)
    }
    return jwks.fetches - before
  }

  it('is asked every 30 s while there are old keys, which is in the log, and every 5 s while there are none', async () => {
    jwks.answer = down
    expect(await fetchesInAMinute()).toBe(12)
    expect(onStale).not.toHaveBeenCalled()
    jwks.answer = () => published(key)
    await ask()
    jwks.answer = down
    pass(10 * minute)
    expect(await fetchesInAMinute()).toBe(2)
    expect(onStale.mock.calls.map(([cause]) => messagesOf(cause))).toEqual(
      Array(2).fill('key set cannot be fetched key set endpoint answered 503 '),
    )
  })

  it('is asked every 30 s at most when each token names an unknown key: 500 while it fails, then 401', async () => {
    await ask()
    pass(minute)
    jwks.answer = down
    expect(await ask(other)).toBe(500)
    expect(await ask()).toBe(200)
    expect(await fetchesInAMinute(other)).toBe(1)
    jwks.answer = () => published(key)
    expect(await ask(other)).toBe(401)
    expect(await fetchesInAMinute(other)).toBe(1)
  })

  it.each([true, false])(
    'is waited for 2 s where it hangs, and at most 2.5 s where its fetch was cancelled (%s)',
    async (timesOut) => {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
      const timeout = new AbortController()
      vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal)
      jwks.answer = (signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      const token = await sign(key)
      const refusal = refusalOf(() => verify(token))
      await vi.waitFor(() => expect(jwks.fetches).toBe(1))
      if (timesOut) {
        expect(AbortSignal.timeout).toHaveBeenCalledWith(2_000)
        timeout.abort(new DOMException('late', 'TimeoutError'))
      } else {
        await vi.advanceTimersByTimeAsync(2_500)
      }
      expect(await refusal).toMatchObject({ status: 500, retryAfter: '5' })
    },
  )
})

describe('a key that an isolate does not know', () => {
  it('costs one fetch, for all who ask, and is used if it was published meanwhile', async () => {
    await ask()
    jwks.answer = () => published(key, other)
    pass(30 * second)
    expect(await Promise.all([ask(other), ask(other)])).toEqual([200, 200])
    expect(jwks.fetches).toBe(2)
  })

  it('costs one fetch past the cache of the data centre, where the first answer may be from there', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch')
    const third = await signingKey('c')
    await ask()
    jwks.answer = () => published(key, other)
    expect(await Promise.all([ask(other), ask(other)])).toEqual([200, 200])
    expect(fetching.mock.lastCall?.[1]).toMatchObject({ cache: 'no-store' })
    pass(30 * second - 1)
    expect(await ask(third)).toBe(401)
    expect(jwks.fetches).toBe(2)
  })
})

describe('several keys that match', () => {
  const twin = () => ({ ...other, kid: key.kid, jwk: { ...other.jwk, kid: key.kid } })

  it.each([{}, { kid: undefined }])('are all tried: for the header %j', async (header) => {
    jwks.answer = () => published(key, twin())
    expect([await ask(key, header), await ask(twin(), header)]).toEqual([200, 200])
    expect(jwks.fetches).toBe(1)
  })

  it('are a 401 if none has signed the token, and ACCESS_TOKEN_EXPIRED if it is old', async () => {
    jwks.answer = () => published(key, twin())
    expect(await ask(await signingKey(key.kid))).toBe(401)
    const old = await sign(twin(), { ...goodClaims, exp: 1 })
    expect(await refusalOf(() => verify(old))).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' })
  })
})

describe('a key set', () => {
  const odd: Readonly<Record<string, () => unknown>> = {
    'no object': () => 'key',
    null: () => null,
    symmetric: () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'a', alg: 'HS256' }),
    secret: () => ({ ...other.jwk, kid: 'a', d: 'AAAA' }),
    'off its curve': () => ({ ...other.jwk, kid: 'a', x: other.jwk.y }),
    'of an unknown algorithm': () => ({ ...other.jwk, kid: 'a', alg: 'ES9000' }),
    'of odd members': () => ({ ...other.jwk, kid: 'a', key_ops: 'verify', ext: 1, alg: 7 }),
  }

  it.each(Object.entries(odd))(
    'may have a key that is %s beside good ones',
    async (_what, make) => {
      jwks.answer = () => Response.json({ keys: [make(), key.jwk] })
      expect(await ask()).toBe(200)
    },
  )

  it('may have a key that cannot be imported: a token that names it is a 401, and the log tells it once for a fetch', async () => {
    jwks.answer = () => published(key, { ...other.jwk, x: String(other.jwk.y) })
    expect(await Promise.all([ask(other), ask(other), ask()])).toEqual([401, 401, 200])
    // A token of an unknown key leads to a second fetch past the cache of the data centre.
    expect([jwks.fetches, onUnusable.mock.calls.length]).toEqual([2, 2])
    pass(10 * minute)
    expect([await ask(other), await ask(other)]).toEqual([401, 401])
    expect([jwks.fetches, onUnusable.mock.calls.length]).toEqual([3, 3])
    expect(messagesOf(onUnusable.mock.lastCall?.[0])).not.toBe('')
  })

  it.each([
    [['sign', 'verify'], 200],
    [['verify', 'wrapKey'], 200],
    [['sign'], 401],
  ])('may publish a key for %j: it serves if it may verify', async (key_ops, status) => {
    jwks.answer = () => published(key, { ...other.jwk, key_ops })
    expect(await ask(other)).toBe(status)
    expect(onUnusable).not.toHaveBeenCalled()
  })

  it('has no key that is easy to forge with: RSA of 1024 bits', async () => {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024 }
    const publicExponent = new Uint8Array([1, 0, 1])
    const pair = await crypto.subtle.generateKey({ ...rsa, publicExponent }, true, [
      'sign',
      'verify',
    ])
    const { kty, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey)
    jwks.answer = () => published(key, { kty, n, e, kid: 'weak' } as typeof key.jwk)
    const weak = `${Buffer.from('{"alg":"RS256","kid":"weak"}').toString('base64url')}.e30.AAAA`
    expect(await refusalOf(() => verify(weak))).toMatchObject({
      status: 401,
      detail: 'The issuer does not publish the key that the access token names.',
    })
  })
})
