import { describe, expect, it, vi } from 'vitest'
import { never, published, refusalOf } from './issuer.ts'
import { a, answer, b, background, find, jwks, minute, pass, useRemoteKeys } from './remote-keys.ts'

useRemoteKeys()

/** All that can go wrong with an endpoint, and how. */
const faults: Record<string, () => Response | Promise<Response>> = {
  'answers 500': () => new Response('', { status: 500 }),
  'answers 203, keys and all': () => Response.json({ keys: [b.jwk] }, { status: 203 }),
  'answers HTML': () => new Response('<html></html>', { headers: { 'Content-Type': 'text/html' } }),
  'answers nothing': () => new Response(''),
  redirects: () => new Response(null, { status: 302, headers: { Location: 'https://x.example' } }),
  'answers JSON that is no key set': () => Response.json({ kids: [] }),
  'answers an array': () => Response.json([a.jwk]),
  'answers an empty set': () => published(),
  'answers keys that are no objects': () => Response.json({ keys: [1, null, 'x'] }),
  'answers keys among bytes that are not UTF-8': () =>
    new Response(Buffer.from(JSON.stringify({ keys: [b.jwk], more: '\u00ff' }), 'latin1')),
  'answers more than 64 KiB': () => Response.json({ keys: [a.jwk], more: 'x'.repeat(65_536) }),
  'answers more than 50 keys': () => published(...Array.from({ length: 51 }, () => a)),
  'cannot be reached': () => Promise.reject(new TypeError('fetch failed')),
}

describe('an endpoint that gives no usable keys (contract 3, sixth item)', () => {
  it.each(Object.entries(faults))('that %s is a 500 with Retry-After', async (_what, fault) => {
    jwks.answer = fault
    const refusal = await refusalOf(() => find('a'))
    expect(refusal).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR', retryAfter: 1 })
  })

  it.each(Object.entries(faults))(
    'that %s leaves the keys held in service',
    async (_what, fault) => {
      await find('a')
      jwks.answer = fault
      pass(10 * minute)
      expect(await answer('a')).toBe('found')
      await Promise.all(background)
      expect(jwks.calls).toBe(2)
      expect(await answer('a')).toBe('found')
    },
  )

  it('is asked not to redirect', async () => {
    await find('a')
    expect(jwks.inits[0]?.redirect).toBe('manual')
  })

  it('has 2 s to answer', async () => {
    jwks.answer = never
    const waiting = answer('a')
    await vi.advanceTimersByTimeAsync(1_999)
    expect(jwks.inits[0]?.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toBe(500)
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
})

describe('the keys of a set', () => {
  const unusable: Record<string, () => object | Promise<object>> = {
    symmetric: () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'x', alg: 'HS256' }),
    private: () => ({ ...a.jwk, kid: 'x', d: 'AAAA' }),
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

  it.each(Object.entries(unusable))('that are all %s are no keys', async (_w, make) => {
    const bad = await make()
    jwks.answer = () => Response.json({ keys: [bad] })
    expect(await answer('x')).toBe(500)
  })

  it('need not name their algorithm', async () => {
    const { alg: _alg, use: _use, ...plain } = a.jwk
    jwks.answer = () => published(plain)
    expect(await answer('a')).toBe('found')
  })
})
