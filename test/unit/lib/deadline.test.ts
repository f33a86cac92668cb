import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sharedTimer, withDeadline } from '../../../src/lib/deadline.ts'

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

describe('a timer that the waits of a request share', () => {
  const never = new Promise<never>(() => {})

  /** The milliseconds after which waits end that begin at the given times: each after `start`, with a deadline of `wait`. */
  async function endsOf(waits: readonly { start: number; wait: number }[]): Promise<number[]> {
    const { withDeadline } = sharedTimer()
    const [beginning, ends] = [performance.now(), waits.map(() => Number.NaN)]
    for (const [index, { start, wait }] of waits.entries()) {
      await vi.advanceTimersByTimeAsync(beginning + start - performance.now())
      withDeadline(never, wait, () => {
        ends[index] = performance.now() - beginning
      })
    }
    await vi.advanceTimersByTimeAsync(60_000)
    return ends
  }

  it('is set once for waits that end in time, and cleared at the end', async () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout')
    const { withDeadline, end } = sharedTimer()
    for (const milliseconds of [10_000, 250, 5_000]) {
      const value = withDeadline(Promise.resolve(milliseconds), milliseconds, () => 0)
      expect(await value).toBe(milliseconds)
      const broken = Promise.reject(new Error('broken'))
      await expect(withDeadline(broken, milliseconds, () => 0)).rejects.toThrow('broken')
    }
    expect(vi.getTimerCount()).toBe(1)
    end()
    expect(vi.getTimerCount()).toBe(0)
    expect(setTimeout).toHaveBeenCalledTimes(1)
  })

  it.each<[what: string, waits: { start: number; wait: number }[]]>([
    ['one after the other', [100, 400, 20_000].map((wait, nth) => ({ start: nth * 1_000, wait }))],
    [
      'side by side, the longest first',
      [9_000, 251, 250, 249, 1].map((wait) => ({ start: 0, wait })),
    ],
    [
      'side by side, the shortest first',
      [1, 249, 250, 251, 9_000].map((wait) => ({ start: 0, wait })),
    ],
    [
      'while the timer is set',
      [
        { start: 0, wait: 5_000 },
        { start: 100, wait: 100 },
        { start: 240, wait: 300 },
      ],
    ],
    [
      'that are over already',
      [
        { start: 5, wait: -5 },
        { start: 10, wait: 0 },
      ],
    ],
  ])('ends each of several waits at its deadline: %s', async (_, waits) => {
    expect(await endsOf(waits)).toEqual(waits.map(({ start, wait }) => start + Math.max(0, wait)))
  })

  it('ends each wait at its deadline, whatever waits begin when', async () => {
    const wait = fc.record({ start: fc.nat(6_000), wait: fc.nat(6_000) })
    await fc.assert(
      fc.asyncProperty(fc.array(wait, { minLength: 1, maxLength: 6 }), async (sent) => {
        const waits = sent.toSorted((a, b) => a.start - b.start)
        expect(await endsOf(waits)).toEqual(waits.map(({ start, wait }) => start + wait))
      }),
    )
  })

  it.each([
    ['back', -3_600_000],
    ['a little back', -4_500],
    ['ahead', 3_600_000],
  ])('moves no deadline by more than 250 ms where the clock goes %s', async (_, step) => {
    const { withDeadline } = sharedTimer()
    const ends: number[] = []
    const beginning = performance.now()
    const wait = (milliseconds: number) =>
      withDeadline(never, milliseconds, () => {
        ends.push(performance.now() - beginning)
      })
    wait(5_000)
    await vi.advanceTimersByTimeAsync(20)
    vi.setSystemTime(Date.now() + step)
    wait(8_000)
    await vi.advanceTimersByTimeAsync(980)
    vi.setSystemTime(Date.now() + step)
    await vi.advanceTimersByTimeAsync(60_000)
    const [first = 0, second = 0] = ends
    expect(Math.abs(first - 5_000)).toBeLessThanOrEqual(250)
    expect(Math.abs(second - 8_020)).toBeLessThanOrEqual(250)
  })

  it('gives a wait that begins after its end a deadline', async () => {
    const { withDeadline, end } = sharedTimer()
    await withDeadline(Promise.resolve(), 1_000, () => {})
    end()
    const late = vi.fn()
    withDeadline(never, 1_000, late)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(late).toHaveBeenCalledOnce()
  })

  it('ends no wait whose promise has settled, and serves waits that begin after it has rung', async () => {
    const { withDeadline } = sharedTimer()
    const tooLate = vi.fn()
    await withDeadline(Promise.resolve(), 100, tooLate)
    withDeadline(never, 200, () => {})
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(tooLate).not.toHaveBeenCalled()
    const late = vi.fn()
    withDeadline(never, 1_000, late)
    await vi.advanceTimersByTimeAsync(999)
    expect(late).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(late).toHaveBeenCalledOnce()
  })
})
