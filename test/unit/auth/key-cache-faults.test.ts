import { describe, expect, it, vi } from 'vitest'
import { createSigner } from '../../../src/lib/key-ring.ts'
import { ring, ringOf, start, store, useDataCentre, warm } from './data-centre.ts'
import { never, published } from './issuer.ts'
import { a, answer, b, background, jwks, minute, pass, url, useRemoteKeys } from './remote-keys.ts'

useRemoteKeys()
useDataCentre()

const down = () => new Response('', { status: 500 })

/** Has exactly this text in the cache, where the keys would be. */
async function keep(text: string): Promise<void> {
  await warm()
  for (const address of store.kept.keys()) {
    store.kept.set(address, new Response(text))
  }
}

/** A text behind its code. */
const signed = async (text: string, signer = createSigner(ring, 'key set cache')) =>
  `${await signer.sign(text)}.${text}`

/** What the cache holds, with other members. */
const entry = (members: object = {}) =>
  JSON.stringify({ url, at: Date.now(), keys: JSON.stringify({ keys: [b.jwk] }), ...members })

describe('an entry of the cache that cannot be trusted', () => {
  const bad: Record<string, () => string | Promise<string>> = {
    'an empty text': () => '',
    'a text without a code': () => entry(),
    'a code of another text': async () => `${await signed(entry())} `,
    'a code under another ring': () => signed(entry(), createSigner(ringOf('B'), 'key set cache')),
    'a code of another purpose': () => signed(entry(), createSigner(ring, 'cursor')),
    'the code of the URL': () => signed(url),
    'keys of another URL': () => signed(entry({ url: 'https://issuer.example/other' })),
    'keys of a time to come': () => signed(entry({ at: Date.now() + 1_000 })),
    'keys without a time': () => signed(entry({ at: undefined })),
    'keys that are no text': () => signed(entry({ keys: [b.jwk] })),
    'keys that are no set': () => signed(entry({ keys: '{}' })),
    'private keys': () =>
      signed(entry({ keys: JSON.stringify({ keys: [{ ...b.jwk, d: 'AAAA' }] }) })),
    'a signed text that is not JSON': () => signed('keys'),
    'a signed null': () => signed('null'),
  }

  it.each(Object.entries(bad))('is ignored, and the issuer is asked: %s', async (_what, make) => {
    await keep(await make())
    // The cache speaks of b, the issuer of a: whoever believes the cache does not ask the issuer for b.
    expect(await answer('b')).toBe('unknown')
    expect(jwks.calls).toBe(2)
    expect(await answer('a')).toBe('found')
  })

  it('would serve if it had not been spoilt', async () => {
    await keep(await signed(entry()))
    expect(await answer('b')).toBe('found')
    expect(jwks.calls).toBe(1)
  })
})

describe('a broken cache', () => {
  const faults: Record<string, () => Promise<never>> = {
    throws: () => {
      throw new Error('no cache here')
    },
    rejects: () => Promise.reject(new Error('no cache here')),
  }

  it.each(Object.entries(faults))('that %s fails no request', async (_what, fault) => {
    store.match.mockImplementation(fault)
    store.put.mockImplementation(fault)
    start()
    expect(await answer('a')).toBe('found')
    await Promise.all(background)
    expect(jwks.calls).toBe(1)
  })

  it.each([
    ['hangs', never],
    ['hangs in the middle', async () => new Response(new ReadableStream({ pull: never }))],
  ])('that %s delays the first requests by 250 ms and no later ones', async (_what, fault) => {
    store.match.mockImplementation(fault)
    store.put.mockImplementation(never)
    jwks.answer = down
    start()
    const first = Promise.all([answer('a'), answer('a')])
    await vi.advanceTimersByTimeAsync(249)
    expect(jwks.calls).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(await first).toEqual([500, 500])
    jwks.answer = () => published(a)
    pass(minute)
    // No timer fires from here on.
    expect(await answer('a')).toBe('found')
    expect(await answer('a')).toBe('found')
    expect(jwks.calls).toBe(2)
  })

  it('that answers after the issuer does not replace the keys of the issuer', async () => {
    await warm()
    const late = Promise.withResolvers<Response | undefined>()
    const [kept] = store.kept.values()
    store.match.mockImplementation(() => late.promise)
    start()
    jwks.answer = () => published(b)
    const first = answer('b')
    await vi.advanceTimersByTimeAsync(250)
    expect(await first).toBe('found')
    late.resolve(kept)
    await Promise.all(background)
    expect(await answer('b')).toBe('found')
    expect(await answer('a')).toBe('unknown')
  })

  it('that answers late still serves while the issuer is down', async () => {
    await warm()
    const late = Promise.withResolvers<Response | undefined>()
    const [kept] = store.kept.values()
    store.match.mockImplementation(() => late.promise)
    start()
    jwks.answer = down
    const first = answer('a')
    await vi.advanceTimersByTimeAsync(250)
    expect(await first).toBe(500)
    late.resolve(kept)
    await Promise.all(background)
    expect(await answer('a')).toBe('found')
  })
})
