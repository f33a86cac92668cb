import { describe, expect, it, vi } from 'vitest'
import { never, published } from './issuer.ts'
import {
  answer,
  b,
  background,
  find,
  hour,
  jwks,
  keys,
  minute,
  pass,
  settlesAtOnce,
  useRemoteKeys,
} from './remote-keys.ts'

useRemoteKeys()

const down = () => new Response('', { status: 500 })

describe('keys that are 10 to 15 minutes old (contract, section 3)', () => {
  it.each([10 * minute, 15 * minute - 1])(
    'serve at once while one refresh runs: %i ms',
    async (age) => {
      await find('a')
      pass(age)
      jwks.answer = never
      expect(await settlesAtOnce(find('a'))).toBe(true)
      expect(await settlesAtOnce(find('a'))).toBe(true)
      expect(jwks.calls).toBe(2)
    },
  )

  it('are replaced as soon as the refresh has ended', async () => {
    await find('a')
    const before = keys.version()
    pass(15 * minute - 1)
    jwks.answer = () => published(b)
    expect(await answer('a')).toBe('found')
    await Promise.all(background)
    // Remembered tokens are forgotten with the old version.
    expect(keys.version()).toBeGreaterThan(before)
    expect(await answer('a')).toBe('unknown')
  })
})

describe('keys that are over 15 minutes old', () => {
  it.each([
    ['15 minutes', 15 * minute],
    ['two days', 48 * hour],
  ])(
    'serve only after a refresh, so that a withdrawn one is refused after %s',
    async (_what, age) => {
      await find('a')
      pass(age)
      jwks.answer = () => published(b)
      expect(await answer('a')).toBe('unknown')
      expect(jwks.calls).toBe(2)
    },
  )

  it('are refreshed once, however many requests there are', async () => {
    await find('a')
    pass(15 * minute)
    const late = Promise.withResolvers<Response>()
    jwks.answer = () => late.promise
    const waiting = Promise.all(Array.from({ length: 20 }, () => answer('a')))
    expect(await settlesAtOnce(waiting)).toBe(false)
    late.resolve(published(b))
    expect(new Set(await waiting)).toEqual(new Set(['unknown']))
    expect(jwks.calls).toBe(2)
  })

  it('serve after a refresh that began while they were younger', async () => {
    await find('a')
    pass(15 * minute - 1)
    const late = Promise.withResolvers<Response>()
    jwks.answer = () => late.promise
    await find('a')
    pass(1)
    const waiting = answer('a')
    expect(await settlesAtOnce(waiting)).toBe(false)
    late.resolve(published(b))
    expect(await waiting).toBe('unknown')
    expect(jwks.calls).toBe(2)
  })

  it.each([
    ['shortest', 1],
    ['longest', 0],
  ])(
    'serve at once while the endpoint hangs, except in the first 2 s (%s pauses)',
    async (_what, random) => {
      vi.mocked(Math.random).mockReturnValue(random)
      await find('a')
      pass(15 * minute)
      jwks.answer = never
      const begin = Date.now()
      const waited: number[] = []
      const all: Promise<unknown>[] = []
      while (Date.now() < begin + 5 * minute) {
        const request = answer('a')
        all.push(request)
        if (!(await settlesAtOnce(request))) {
          waited.push(Date.now() - begin)
        }
        await vi.advanceTimersByTimeAsync(500)
      }
      expect(waited).toEqual([0, 500, 1_000, 1_500])
      expect(new Set(await Promise.all(all))).toEqual(new Set(['found']))
      // One in 22.5 to 30 s once the pauses are at their longest.
      expect(jwks.calls - 1).toBeGreaterThan(10)
      expect(jwks.calls - 1).toBeLessThan(20)
    },
  )

  it('are replaced within the longest pause after the endpoint has recovered', async () => {
    await find('a')
    pass(15 * minute)
    jwks.answer = down
    for (let second = 0; second < 120; second++) {
      expect(await answer('a')).toBe('found')
      pass(1_000)
    }
    jwks.answer = () => published(b)
    for (let second = 0; second < 30; second++) {
      pass(1_000)
      await answer('a')
      await Promise.all(background)
    }
    expect(await answer('a')).toBe('unknown')
  })

  it('serve after a refresh again when the last failure is longer ago than the longest pause', async () => {
    await find('a')
    pass(15 * minute)
    jwks.answer = down
    expect(await answer('a')).toBe('found')
    jwks.answer = () => published(b)
    pass(30_000 + 2_250)
    expect(await answer('a')).toBe('unknown')
  })
})
