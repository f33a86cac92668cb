import { describe, expect, it, vi } from 'vitest'
import { never, outcome, published } from './issuer.ts'
import {
  a,
  answer,
  b,
  background,
  find,
  hour,
  jwks,
  minute,
  pass,
  settlesAtOnce,
  useRemoteKeys,
} from './remote-keys.ts'

useRemoteKeys()

/**
 * On Workers a promise may never settle when the request that made it is cancelled, its timers dying with it.
 * Here the first request's timer is a dead one.
 */
describe('a request cancelled while it fetches', () => {
  /** Starts a fetch that does not time out, nor answers unless it is told to. */
  function cancelledStarter(response: Promise<Response> = never()): void {
    jwks.answer = () => response
    const timer = vi.spyOn(globalThis, 'setTimeout')
    timer.mockImplementationOnce((() => 0) as unknown as typeof setTimeout)
    void outcome(() => find('a'))
    timer.mockRestore()
    jwks.answer = () => published(a)
  }

  it('delays requests that wait for it by at most 2.25 s, after which they share one fetch', async () => {
    cancelledStarter()
    const waiting = Promise.all(Array.from({ length: 20 }, () => answer('a')))
    await vi.advanceTimersByTimeAsync(2_249)
    expect(jwks.calls).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(new Set(await waiting)).toEqual(new Set(['found']))
    expect(jwks.calls).toBe(2)
  })

  it('is waited for by requests that come within 2.25 s', async () => {
    const late = Promise.withResolvers<Response>()
    cancelledStarter(late.promise)
    pass(2_250)
    const joined = answer('a')
    late.resolve(published(a))
    expect(await joined).toBe('found')
    expect(jwks.calls).toBe(1)
  })

  it('delays no request that comes after 2.25 s', async () => {
    cancelledStarter()
    pass(2_251)
    expect(await answer('a')).toBe('found')
  })

  it('does not stop the refreshing of stale keys', async () => {
    await find('a')
    pass(10 * minute)
    cancelledStarter()
    // The lookup itself runs on: its keys are held.
    await vi.advanceTimersByTimeAsync(0)
    expect(jwks.calls).toBe(2)
    pass(2_251)
    await find('a')
    expect(jwks.calls).toBe(3)
  })

  it('delays requests by at most 2 s where there are older keys', async () => {
    await find('a')
    pass(15 * minute)
    cancelledStarter()
    const waiting = Promise.all(Array.from({ length: 20 }, () => answer('a')))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(await settlesAtOnce(waiting)).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(new Set(await waiting)).toEqual(new Set(['found']))
    expect(jwks.calls).toBe(2)
  })

  it('delays requests that come late only by what is left of the 2.25 s', async () => {
    cancelledStarter()
    await vi.advanceTimersByTimeAsync(2_000)
    const waiting = answer('a')
    await vi.advanceTimersByTimeAsync(250)
    expect(await waiting).toBe('found')
    expect(jwks.calls).toBe(2)
  })

  it('counts as a failure at the time at which it began, however late that is noticed', async () => {
    await find('a')
    pass(15 * minute)
    cancelledStarter()
    await vi.advanceTimersByTimeAsync(0)
    expect(jwks.calls).toBe(2)
    pass(hour)
    jwks.answer = () => published(b)
    // An hour after the failure a request waits for the issuer again.
    expect(await answer('a')).toBe('unknown')
  })

  it('does not replace the keys of a later fetch when it ends after all', async () => {
    const late = Promise.withResolvers<Response>()
    cancelledStarter(late.promise)
    pass(2_251)
    jwks.answer = () => published(b)
    expect(await answer('b')).toBe('found')
    late.resolve(published(a))
    await Promise.all(background)
    expect(await answer('b')).toBe('found')
  })
})

it('a request that waits learns of a time-out a moment late instead of fetching again', async () => {
  jwks.answer = never
  const timer = vi.spyOn(globalThis, 'setTimeout')
  const { setTimeout: late } = globalThis
  // On Workers the end of one request reaches the others after their own timers of the same time.
  const delayed = (run: () => void, ms: number, ...rest: []) => late(run, ms + 100, ...rest)
  timer.mockImplementationOnce(delayed as never)
  const first = answer('a')
  const waiting = Promise.all(Array.from({ length: 20 }, () => answer('a')))
  await vi.advanceTimersByTimeAsync(2_100)
  expect(await first).toBe(500)
  expect(new Set(await waiting)).toEqual(new Set([500]))
  expect(jwks.calls).toBe(1)
})
