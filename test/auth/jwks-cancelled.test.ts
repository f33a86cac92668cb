import { describe, expect, it, vi } from 'vitest'
import { never, outcome, published } from './issuer.ts'
import { a, answer, b, background, find, jwks, minute, pass, useRemoteKeys } from './remote-keys.ts'

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

  it('holds up those who wait for it no longer than 2 s, and they fetch once for all', async () => {
    cancelledStarter()
    const waiting = Promise.all(Array.from({ length: 20 }, () => answer('a')))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(jwks.calls).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(new Set(await waiting)).toEqual(new Set(['found']))
    expect(jwks.calls).toBe(2)
  })

  it('holds up nobody who comes after 2 s', async () => {
    cancelledStarter()
    pass(2_001)
    expect(await answer('a')).toBe('found')
  })

  it('does not stop the refreshing of stale keys', async () => {
    await find('a')
    pass(10 * minute)
    cancelledStarter()
    // The lookup itself runs on: its keys are held.
    await vi.advanceTimersByTimeAsync(0)
    expect(jwks.calls).toBe(2)
    pass(2_001)
    await find('a')
    expect(jwks.calls).toBe(3)
  })

  it('does not overwrite what a later fetch brought, should it end after all', async () => {
    const late = Promise.withResolvers<Response>()
    cancelledStarter(late.promise)
    pass(2_001)
    jwks.answer = () => published(b)
    expect(await answer('b')).toBe('found')
    late.resolve(published(a))
    await Promise.all(background)
    expect(await answer('b')).toBe('found')
  })
})
