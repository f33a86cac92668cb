import { describe, expect, it, vi } from 'vitest'
import { never, outcome, published, refusalOf, signingKey } from './issuer.ts'
import { a, answer, b, find, jwks, useRemoteKeys } from './remote-keys.ts'

useRemoteKeys()

/** All that can go wrong with an endpoint: how, and a word of what the log says of it. */
const faults: readonly (readonly [
  what: string,
  word: string,
  () => Response | Promise<Response>,
])[] = [
  ['answers 500', '500', () => new Response('', { status: 500 })],
  ['answers 203, keys and all', '203', () => Response.json({ keys: [b.jwk] }, { status: 203 })],
  [
    'answers HTML',
    'JSON',
    () => new Response('<html></html>', { headers: { 'Content-Type': 'text/html' } }),
  ],
  ['answers nothing', 'JSON', () => new Response('')],
  ['answers without a body', 'JSON', () => new Response(null)],
  [
    'redirects',
    '302',
    () => new Response(null, { status: 302, headers: { Location: 'https://x.example' } }),
  ],
  ['answers JSON that is no key set', 'JWK set', () => Response.json({ kids: [] })],
  ['answers an array', 'JWK set', () => Response.json([a.jwk])],
  ['answers an empty set', 'key', () => published()],
  ['answers keys that are no objects', 'key', () => Response.json({ keys: [1, null, 'x'] })],
  ['answers private keys alone', 'key', () => Response.json({ keys: [{ ...a.jwk, d: 'AAAA' }] })],
  [
    'answers keys among bytes that are not UTF-8',
    'utf-8',
    () => new Response(Buffer.from(JSON.stringify({ keys: [b.jwk], more: '\u00ff' }), 'latin1')),
  ],
  [
    'answers more than 64 KiB',
    '65536',
    () => Response.json({ keys: [a.jwk], more: 'x'.repeat(65_536) }),
  ],
  [
    'cannot be reached',
    'https://issuer.example/jwks cannot be reached',
    () => Promise.reject(new TypeError('fetch failed')),
  ],
]

describe('an endpoint that gives no usable keys (contract, section 3)', () => {
  it.each(faults)(
    'that %s leads to a 500 with Retry-After, whose cause in the log says %s',
    async (_what, word, fault) => {
      jwks.answer = fault
      const error = await outcome(() => find('a'))
      expect(error).toMatchObject({ cause: { message: expect.stringContaining(word) } })
      expect(await refusalOf(() => Promise.reject(error))).toMatchObject({
        status: 500,
        code: 'INTERNAL_SERVER_ERROR',
        detail:
          'The keys of the authorization server cannot be fetched at the moment, so that no token can be checked.',
        retryAfter: 1,
      })
    },
  )

  it('is asked with redirects left to the service, which follows none', async () => {
    await find('a')
    expect(jwks.inits[0]?.redirect).toBe('manual')
  })

  it('is asked without HTTP caches on the way', async () => {
    await find('a')
    expect(jwks.inits[0]?.cache).toBe('no-store')
  })

  it('is asked for a key set (RFC 7517, 8.5.2)', async () => {
    await find('a')
    const accepted = new Headers(jwks.inits[0]?.headers).get('Accept')
    expect(accepted?.split(', ')).toEqual(['application/jwk-set+json', 'application/json'])
  })

  it('has 2 s to answer', async () => {
    jwks.answer = never
    const waiting = outcome(() => find('a'))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(jwks.inits[0]?.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const cause = { message: expect.stringContaining('2000 ms') }
    expect(await waiting).toMatchObject({ status: 500, cause })
    expect(jwks.inits[0]?.signal?.aborted).toBe(true)
  })

  it('has 2 s for the body too', async () => {
    jwks.answer = () => new Response(new ReadableStream({ pull: never }))
    const waiting = answer('a')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await waiting).toBe(500)
  })

  it('is not read beyond 64 KiB', async () => {
    let read = 0
    jwks.answer = () =>
      new Response(
        new ReadableStream({
          pull(stream) {
            read += 1
            stream.enqueue(new Uint8Array(16_384).fill(0x20))
          },
        }),
      )
    expect(await answer('a')).toBe(500)
    expect(read).toBeLessThan(10)
  })

  it('is read up to 64 KiB', async () => {
    const set = JSON.stringify({ keys: [a.jwk] })
    jwks.answer = () => new Response(set.padEnd(65_536))
    expect(await answer('a')).toBe('found')
  })

  it('may send its answer in parts that divide a character', async () => {
    const bytes = Buffer.from(JSON.stringify({ keys: [{ ...a.jwk, kid: 'ä' }] }))
    const middle = bytes.indexOf('ä') + 1
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const parts = writable.getWriter()
    jwks.answer = () => new Response(readable)
    void parts.write(bytes.subarray(0, middle))
    void parts.write(bytes.subarray(middle))
    void parts.close()
    expect(await answer('ä')).toBe('found')
  })

  it('may put a byte order mark first (RFC 8259, 8.1)', async () => {
    jwks.answer = () => new Response(`\ufeff${JSON.stringify({ keys: [a.jwk] })}`)
    expect(await answer('a')).toBe('found')
  })
})

describe('the keys of a set', () => {
  const unusable: Record<string, () => object | Promise<object>> = {
    symmetric: () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'x', alg: 'HS256' }),
    'private without a value': () => ({ ...a.jwk, kid: 'x', d: null }),
    ...Object.fromEntries(
      ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'].map((secret) => [
        `private by ${secret}`,
        () => ({ ...a.jwk, kid: 'x', [secret]: 'AAAA' }),
      ]),
    ),
    'for encryption': () => ({ ...a.jwk, kid: 'x', use: 'enc' }),
    'of an algorithm not taken': () => ({ ...a.jwk, kid: 'x', alg: 'ECDH-ES' }),
    'off their curve': () => ({ ...a.jwk, kid: 'x', x: a.jwk.y }),
    incomplete: () => ({ kty: 'EC', kid: 'x' }),
    'RSA of 1024 bits': async () => {
      const pair = await crypto.subtle.generateKey(
        {
          name: 'RSASSA-PKCS1-v1_5',
          hash: 'SHA-256',
          modulusLength: 1024,
          publicExponent: new Uint8Array([1, 0, 1]),
        },
        true,
        ['sign', 'verify'],
      )
      const { kty, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey)
      return { kty, n, e, kid: 'x' }
    },
  }

  it.each(Object.entries(unusable))(
    'that are %s are dropped, the others kept',
    async (_w, make) => {
      const bad = await make()
      jwks.answer = () => Response.json({ keys: [bad, a.jwk] })
      expect(await answer('a')).toBe('found')
      const kid = { ...bad, kid: 'x' }.kid
      expect(await answer(kid)).toBe('unknown')
    },
  )

  it('are cut after the first 50 that are usable', async () => {
    const set = Array.from({ length: 60 }, (_, index) => ({
      ...a.jwk,
      kid: `k${index}`,
      ...(index < 5 && { use: 'enc' }),
    }))
    jwks.answer = () => published(...set)
    expect(await answer('k4')).toBe('unknown')
    expect(await answer('k5')).toBe('found')
    expect(await answer('k54')).toBe('found')
    expect(await answer('k55')).toBe('unknown')
    expect(jwks.calls).toBe(1)
  })

  it.each(['RS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'need not name their algorithm (%s)',
    async (alg) => {
      const { alg: _alg, use: _use, ...plain } = (await signingKey('x', alg)).jwk
      jwks.answer = () => published(plain)
      expect((await find('x', alg)).usages).toEqual(['verify'])
    },
  )
})
