import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { refreshing } from '../../../src/lib/refreshing.ts'

const fresh = 60_000
const patience = 5_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A refreshing value whose loads are ended by hand, in the order in which they began. */
function loading(hedge?: number) {
  const loads: PromiseWithResolvers<string>[] = []
  const waits: Promise<unknown>[] = []
  const get = refreshing(
    () => {
      const load = Promise.withResolvers<string>()
      loads.push(load)
      return load.promise
    },
    { fresh, patience, hedge, waitUntil: (promise) => waits.push(promise) },
  )
  const end = async (index: number, value: string) => {
    loads[index]?.resolve(value)
    await waits[index]
  }
  const fail = async (index: number) => {
    loads[index]?.reject(new Error('failed'))
    await waits[index]
  }
  return { loads, get, end, fail }
}

describe('reference data is loaded once and stays in memory', () => {
  it('by one load, however many callers wait for it', async () => {
    const { loads, get, end } = loading()
    const waiting = Array.from({ length: 50 }, get)
    await end(0, 'a')
    expect(await Promise.all(waiting)).toEqual(Array(50).fill('a'))
    expect(loads).toHaveLength(1)
  })

  it('is handed out at once while it is in memory', async () => {
    const { loads, get, end } = loading()
    const first = get()
    await end(0, 'a')
    await first
    vi.advanceTimersByTime(fresh - 1)
    expect(get()).toBe('a')
    expect(loads).toHaveLength(1)
  })

  it('then renewed by one load in the background, while the old value serves', async () => {
    const { loads, get, end } = loading()
    const first = get()
    await end(0, 'a')
    await first
    vi.advanceTimersByTime(fresh)
    expect([get(), get(), get()]).toEqual(['a', 'a', 'a'])
    expect(loads).toHaveLength(2)
    await end(1, 'b')
    expect(get()).toBe('b')
    vi.advanceTimersByTime(fresh - 1)
    expect(get()).toBe('b')
    expect(loads).toHaveLength(2)
  })

  it('and goes on serving when the renewal fails, which is tried again after a while', async () => {
    const { loads, get, end, fail } = loading()
    const first = get()
    await end(0, 'a')
    await first
    vi.advanceTimersByTime(fresh)
    expect(get()).toBe('a')
    await fail(1)
    expect(get()).toBe('a')
    expect(loads).toHaveLength(2)
    vi.advanceTimersByTime(patience)
    expect(get()).toBe('a')
    expect(loads).toHaveLength(3)
    await end(2, 'b')
    expect(get()).toBe('b')
  })

  it('also when the renewal never ends, which is given up after a while', async () => {
    const { loads, get, end } = loading()
    const first = get()
    await end(0, 'a')
    await first
    vi.advanceTimersByTime(fresh)
    expect(get()).toBe('a')
    vi.advanceTimersByTime(patience - 1)
    expect(get()).toBe('a')
    expect(loads).toHaveLength(2)
    vi.advanceTimersByTime(1)
    expect(get()).toBe('a')
    expect(loads).toHaveLength(3)
    await end(2, 'b')
    expect(get()).toBe('b')
  })
})

describe('while there is no value yet', () => {
  it('a failed load fails for all who wait, and the next one to ask begins again', async () => {
    const { loads, get, end, fail } = loading()
    const waiting = [get(), get()].map((value) => expect(value).rejects.toThrow('failed'))
    await fail(0)
    await Promise.all(waiting)
    const again = get()
    expect(loads).toHaveLength(2)
    await end(1, 'a')
    expect(await again).toBe('a')
  })

  it('a load that never ends is begun again, once for all who wait', async () => {
    const { loads, get, end } = loading()
    const waiting = Array.from({ length: 10 }, get)
    await vi.advanceTimersByTimeAsync(patience)
    expect(loads).toHaveLength(2)
    waiting.push(get())
    expect(loads).toHaveLength(2)
    await end(1, 'b')
    expect(await Promise.all(waiting)).toEqual(Array(11).fill('b'))
  })

  it('a load that never ends is begun again where the clock is behind the timer, too', async () => {
    const { loads, get } = loading()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const failed = expect(get()).rejects.toThrow('Two loads have not ended')
    await vi.advanceTimersByTimeAsync(2 * patience)
    await failed
    expect(loads).toHaveLength(2)
  })

  it('a second one that never ends fails for all who have waited for both', async () => {
    const { loads, get, end } = loading()
    const waiting = [get(), get()].map((value) =>
      expect(value).rejects.toThrow('Two loads have not ended'),
    )
    await vi.advanceTimersByTimeAsync(2 * patience)
    await Promise.all(waiting)
    expect(loads).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
    const again = get()
    expect(loads).toHaveLength(3)
    await end(2, 'c')
    expect(await again).toBe('c')
  })

  it('a load that ends late is better than none', async () => {
    const { get, end } = loading()
    const waiting = get()
    await vi.advanceTimersByTimeAsync(patience)
    await end(0, 'a')
    expect(get()).toBe('a')
    await vi.advanceTimersByTimeAsync(patience)
    expect(await waiting).toBe('a')
  })

  it('leaves no timer behind when it has come', async () => {
    const { get, end } = loading()
    const waiting = [get(), get()]
    await end(0, 'a')
    await Promise.all(waiting)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a first load that stalls', () => {
  const hedge = 500

  it('is begun a second time, once for all who wait, and the one that ends first serves them', async () => {
    const { loads, get, end } = loading(hedge)
    const waiting = Array.from({ length: 10 }, get)
    await vi.advanceTimersByTimeAsync(hedge - 1)
    expect(loads).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    waiting.push(get())
    expect(loads).toHaveLength(2)
    loads[1]?.resolve('b')
    expect(await Promise.all(waiting)).toEqual(Array(11).fill('b'))
    await end(0, 'a')
    expect(get()).toBe('b')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('serves when it ends after all, also where the second one has failed', async () => {
    const { loads, get, end } = loading(hedge)
    const waiting = get()
    await vi.advanceTimersByTimeAsync(hedge)
    loads[1]?.reject(new Error('failed'))
    await vi.advanceTimersByTimeAsync(0)
    await end(0, 'a')
    expect(await waiting).toBe('a')
  })

  it('fails for all who wait when it fails, while the second one goes on in vain', async () => {
    const { loads, get, fail } = loading(hedge)
    const waiting = [get(), get()].map((value) => expect(value).rejects.toThrow('failed'))
    await vi.advanceTimersByTimeAsync(hedge)
    await fail(0)
    await Promise.all(waiting)
    loads[1]?.reject(new Error('late'))
    await vi.advanceTimersByTimeAsync(0)
    expect(loads).toHaveLength(2)
  })

  it('is not begun a second time where an older value serves', async () => {
    const { loads, get, end } = loading(hedge)
    const first = get()
    await end(0, 'a')
    await first
    vi.advanceTimersByTime(fresh)
    expect(get()).toBe('a')
    await vi.advanceTimersByTimeAsync(hedge)
    expect(loads).toHaveLength(2)
  })
})
