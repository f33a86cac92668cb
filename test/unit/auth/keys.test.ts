import { errors } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { published, refusalOf } from './issuer.ts'
import {
  a,
  answer,
  b,
  background,
  find,
  hour,
  jwks,
  keys,
  minute,
  pass,
  useRemoteKeys,
} from './remote-keys.ts'

useRemoteKeys()

describe('concurrent fetches of a cold isolate (the first hole of contract, section 3)', () => {
  it('become one', async () => {
    const found = await Promise.all(Array.from({ length: 50 }, () => answer('a')))
    expect(new Set(found)).toEqual(new Set(['found']))
    expect(jwks.calls).toBe(1)
  })

  it('fail together', async () => {
    jwks.answer = () => new Response('', { status: 500 })
    const found = await Promise.all(Array.from({ length: 50 }, () => answer('a')))
    expect(new Set(found)).toEqual(new Set([500]))
    expect(jwks.calls).toBe(1)
  })

  it('live on by waitUntil', async () => {
    await find('a')
    expect(background).toHaveLength(1)
  })

  it('leave no timer behind', async () => {
    await find('a')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('unknown kids (the second hole of contract, section 3)', () => {
  it('cause at most one fetch in 30 s, however many they are', async () => {
    await find('a')
    for (let second = 0; second < 120; second++) {
      pass(1_000)
      expect(await answer(`forged-${second}`)).toBe('unknown')
    }
    expect(jwks.calls).toBe(1 + 120 / 30)
  })

  it('cause at most one fetch in 30 s when the fetches fail, and are answered with 500', async () => {
    await find('a')
    jwks.answer = () => new Response('', { status: 500 })
    pass(30_000)
    for (let second = 0; second < 120; second++) {
      expect(await answer(`forged-${second}`)).toBe(500)
      pass(1_000)
    }
    expect(jwks.calls).toBe(1 + 120 / 30)
  })

  it('cause one fetch for all requests that ask at the same time', async () => {
    await find('a')
    pass(30_000)
    jwks.answer = () => published(a, b)
    const found = await Promise.all(Array.from({ length: 20 }, () => answer('b')))
    expect(new Set(found)).toEqual(new Set(['found']))
    expect(jwks.calls).toBe(2)
  })

  it('do not include a kid that several keys have, which causes no fetch', async () => {
    jwks.answer = () => published(a, { ...b.jwk, kid: 'a' })
    for (const milliseconds of [0, 30_000]) {
      pass(milliseconds)
      await expect(find('a')).rejects.toBeInstanceOf(errors.JWKSMultipleMatchingKeys)
    }
    expect(jwks.calls).toBe(1)
  })

  it('do not stop known kids from serving while the fetch for them fails', async () => {
    await find('a')
    jwks.answer = () => new Response('', { status: 500 })
    pass(30_000)
    expect(await answer('b')).toBe(500)
    expect(await answer('a')).toBe('found')
  })

  it('are answered with a Retry-After that leads to the end of the cool-down', async () => {
    await find('a')
    jwks.answer = () => new Response('', { status: 500 })
    pass(30_000)
    await answer('b')
    pass(9_500)
    expect((await refusalOf(() => find('b'))).retryAfter).toBe(21)
  })

  it('find a key that was published meanwhile, and change the version', async () => {
    await find('a')
    const before = keys.version()
    jwks.answer = () => published(b)
    pass(30_000)
    expect(await answer('b')).toBe('found')
    expect(keys.version()).not.toBe(before)
    expect(await answer('a')).toBe('unknown')
  })

  it('wait for a refresh that is under way, even during the cool-down', async () => {
    await find('a')
    pass(10 * minute)
    const late = Promise.withResolvers<Response>()
    jwks.answer = () => late.promise
    expect(await answer('a')).toBe('found')
    const waiting = answer('b')
    late.resolve(published(a, b))
    expect(await waiting).toBe('found')
    expect(jwks.calls).toBe(2)
  })
})

describe('the endpoint of the keys (the third hole of contract, section 3: it may fail)', () => {
  it('is not asked for 10 minutes after an answer', async () => {
    await find('a')
    pass(10 * minute - 1)
    await find('a')
    expect(jwks.calls).toBe(1)
  })

  it('is not asked by every request while its keys are stale', async () => {
    await find('a')
    jwks.answer = () => new Response('', { status: 500 })
    pass(10 * minute)
    for (let request = 0; request < 10; request++) {
      expect(await answer('a')).toBe('found')
      await Promise.all(background)
    }
    expect(jwks.calls).toBe(2)
    pass(750)
    await find('a')
    expect(jwks.calls).toBe(3)
  })

  it('can fail for 24 hours; then requests get 500 until it recovers', async () => {
    await find('a')
    jwks.answer = () => new Response('', { status: 500 })
    pass(24 * hour - 1)
    expect(await answer('a')).toBe('found')
    await Promise.all(background)
    pass(1)
    expect(await answer('a')).toBe(500)
    jwks.answer = () => published(a)
    pass(minute)
    expect(await answer('a')).toBe('found')
  })

  it('can fail for 24 hours from its last good answer', async () => {
    await find('a')
    pass(23 * hour)
    await find('a')
    await Promise.all(background)
    jwks.answer = () => new Response('', { status: 500 })
    pass(23 * hour)
    expect(await answer('a')).toBe('found')
  })

  it('is asked less and less often, down to every 30 s, while there are no keys', async () => {
    jwks.answer = () => new Response('', { status: 500 })
    const asked: number[] = []
    const begin = Date.now()
    for (let tick = 0; tick < 2_000; tick++) {
      const before = jwks.calls
      expect(await answer('a')).toBe(500)
      if (jwks.calls > before) {
        asked.push(Date.now() - begin)
      }
      pass(50)
    }
    // Pauses of 1, 2, 4, 8, 16, 30 s, less a quarter.
    expect(asked).toEqual([0, 750, 2_250, 5_250, 11_250, 23_250, 45_750, 68_250, 90_750])
  })

  it('is asked again when Retry-After says so', async () => {
    jwks.answer = () => new Response('', { status: 500 })
    for (const wait of [750, 1_500, 3_000, 6_000]) {
      await answer('a')
      pass(wait)
    }
    await answer('a')
    expect((await refusalOf(() => find('a'))).retryAfter).toBe(12)
  })

  it('is asked at the first intervals again once it has recovered', async () => {
    jwks.answer = () => new Response('', { status: 500 })
    await answer('a')
    pass(750)
    await answer('a')
    jwks.answer = () => published(a)
    pass(1_500)
    expect(await answer('a')).toBe('found')
    jwks.answer = () => new Response('', { status: 500 })
    pass(24 * hour)
    await answer('a')
    pass(750)
    await answer('a')
    expect(jwks.calls).toBe(5)
  })
})
