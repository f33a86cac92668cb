import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withDeadline } from '../../../src/lib/deadline.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('withDeadline waits for a promise until a deadline', () => {
  it('gives the value that comes in time, and leaves no timer behind', async () => {
    expect(await withDeadline(Promise.resolve(1), 100, () => 2)).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives the value of late at the deadline and not before it', async () => {
    const late = vi.fn(() => 2)
    const value = withDeadline(new Promise<number>(() => {}), 100, late)
    await vi.advanceTimersByTimeAsync(99)
    expect(late).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(await value).toBe(2)
  })

  it.each([
    ['fails', (end: PromiseWithResolvers<number>) => end.reject(new Error('broken'))],
    ['ends', (end: PromiseWithResolvers<number>) => end.resolve(1)],
  ])('gives what late promises, even where the work %s before that comes', async (_, settle) => {
    const [work, instead] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const value = withDeadline(work.promise, 100, () => instead.promise)
    await vi.advanceTimersByTimeAsync(100)
    settle(work)
    await vi.advanceTimersByTimeAsync(0)
    instead.resolve(2)
    expect(await value).toBe(2)
  })

  it('rejects as the promise does, and as late does', async () => {
    await expect(withDeadline(Promise.reject(new Error('broken')), 100, () => 2)).rejects.toThrow(
      'broken',
    )
    const value = withDeadline(new Promise(() => {}), 100, () => {
      throw new Error('late')
    })
    const rejected = expect(value).rejects.toThrow('late')
    await vi.advanceTimersByTimeAsync(100)
    await rejected
  })
})
