import { describe, expect, test, vi } from 'vitest'
import { askObjects, mostRemembered } from '../../../src/rate-limit/client.ts'
import { useFakeClock } from './fake-clock.ts'
import { answering, limiterAsking, limiterOf, limits, refusing } from './limiter.ts'

useFakeClock()

describe('the limiter, while the object answers', () => {
  test('makes its grant the verdict after one call', async () => {
    const { limiter, asked } = limiterOf(answering({}))
    await expect(limiter('user:a', 5)).resolves.toEqual({
      ...limits,
      allowed: true,
      remaining: 42,
      waitMs: 0,
      cost: 5,
    })
    expect(asked).toEqual(['5 user:a'])
  })

  test('tells with a refusal when to come again', async () => {
    const { limiter } = limiterOf(refusing)
    await expect(limiter('user:a', 1)).resolves.toEqual({
      ...limits,
      allowed: false,
      remaining: 0,
      cost: 1,
      waitMs: 1_500,
    })
  })

  test("tells the object's numbers and not the isolate's", async () => {
    const { limiter } = limiterOf(answering({ capacity: 7, rate: 3, remaining: 6 }))
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ capacity: 7, rate: 3 })
  })

  test('runs no timer where the answer has come before anybody waits for it', async () => {
    const { begin } = limiterOf(answering({}))
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(0)
    const waited = verdict()
    expect(vi.getTimerCount()).toBe(0)
    await expect(waited).resolves.toMatchObject({ remaining: 42 })
  })

  test('asks the object of that name with each question, through a new stub', async () => {
    const take = vi.fn(async () => answering({})())
    const getByName = vi.fn(() => ({ take }))
    const { limiter } = limiterAsking(askObjects({ getByName, jurisdiction: vi.fn() }))
    await limiter('user:a', 1)
    await limiter('user:b', 5)
    expect(getByName.mock.calls).toEqual([['user:a'], ['user:b']])
    expect(take.mock.calls).toEqual([[1], [5]])
  })

  test('asks the object of that name in the jurisdiction that is set, and no other', async () => {
    const getByName = vi.fn(() => ({ take: async () => answering({})() }))
    const inside = { getByName, jurisdiction: vi.fn() }
    const outside = { getByName: vi.fn(), jurisdiction: vi.fn(() => inside) }
    const { limiter } = limiterAsking(askObjects(outside, 'eu'))
    await limiter('user:a', 1)
    expect(outside.jurisdiction.mock.calls).toEqual([['eu']])
    expect(getByName.mock.calls).toEqual([['user:a']])
    expect(outside.getByName).not.toHaveBeenCalled()
  })

  test('is degraded when the platform refuses the jurisdiction, and asks nothing outside it', async () => {
    const jurisdiction = () => {
      throw new Error('Jurisdiction restrictions are not implemented')
    }
    const namespace = { getByName: vi.fn(), jurisdiction }
    const { limiter, onDegraded } = limiterAsking(askObjects(namespace, 'eu'))
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true, remaining: 99 })
    expect(onDegraded).toHaveBeenCalledOnce()
    expect(namespace.getByName).not.toHaveBeenCalled()
  })
})

describe('a refusal is remembered (contract, section 10)', () => {
  test('and the caller is refused without asking until its next token is due, with a wait that shrinks', async () => {
    const { limiter, asked } = limiterOf(refusing, answering({}))
    await limiter('user:a', 1)
    const waits = []
    for (const pause of [0, 499, 1, 999]) {
      vi.advanceTimersByTime(pause)
      const verdict = await limiter('user:a', 1)
      waits.push(verdict.waitMs)
    }
    expect(waits).toEqual([1_500, 1_001, 1_000, 1])
    expect(asked).toHaveLength(1)

    vi.advanceTimersByTime(1)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
    expect(asked).toHaveLength(2)
  })

  test('with what has been replenished since counted as remaining', async () => {
    const { limiter } = limiterOf(answering({ allowed: false, remaining: 1, waitMs: 80 }))
    await limiter('user:a', 5)
    vi.advanceTimersByTime(45)
    await expect(limiter('user:a', 5)).resolves.toMatchObject({ allowed: false, remaining: 3 })
  })

  test('with no more remaining than the bucket holds, where the cost is more than that', async () => {
    const { limiter } = limiterOf(answering({ allowed: false, remaining: 100, waitMs: 2_020 }))
    await limiter('user:a', 201)
    vi.advanceTimersByTime(1_000)
    await expect(limiter('user:a', 201)).resolves.toMatchObject({ allowed: false, remaining: 100 })
  })

  test('for as many tokens as are missing, while what the bucket may hold is asked for', async () => {
    const { limiter, asked } = limiterOf(
      answering({ allowed: false, remaining: 3, waitMs: 40 }),
      answering({}),
    )
    await limiter('user:a', 5)
    await expect(limiter('user:a', 4)).resolves.toMatchObject({ allowed: false, remaining: 3 })
    await expect(limiter('user:a', 3)).resolves.toMatchObject({ allowed: true })
    expect(asked).toEqual(['5 user:a', '3 user:a'])
  })

  test('with a wait for each price', async () => {
    const { limiter, rateLimiter } = limiterOf(answering({ allowed: false, waitMs: 20 }))
    await limiter('user:a', 1)
    expect(rateLimiter.recall('user:a', 1)).toMatchObject({
      waitMs: 20,
      cost: 1,
      isRemembered: true,
    })
    expect(rateLimiter.recall('user:a', 76)).toMatchObject({ waitMs: 1_520, cost: 76 })
    expect(rateLimiter.recall('user:b', 1)).toBeUndefined()
  })

  test('no longer than due, though the answer was slow', async () => {
    const slow = () =>
      new Promise((resolve) =>
        setTimeout(resolve, 60, answering({ allowed: false, waitMs: 100 })()),
      )
    const { limiter, asked } = limiterOf(slow, answering({}))
    const first = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(60)
    await first
    await vi.advanceTimersByTimeAsync(40)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
    expect(asked).toHaveLength(2)
  })

  test('not beyond a clock that has gone back', async () => {
    const { limiter, asked } = limiterOf(refusing, answering({}))
    await limiter('user:a', 1)
    vi.setSystemTime(Date.now() - 60_000)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
    vi.setSystemTime(Date.now() + 60_000)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
    expect(asked).toHaveLength(3)
  })

  test('however many other callers were granted tokens since', async () => {
    const { limiter, asked } = limiterOf(refusing, answering({}))
    await limiter('user:a', 1)
    for (let index = 0; index <= mostRemembered; index += 1) {
      await limiter(`user:${index}`, 1)
    }
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: false })
    expect(asked).toHaveLength(mostRemembered + 2)
  })

  test('unless so many others were refused since that it was the oldest', async () => {
    const { limiter, asked } = limiterOf(refusing)
    for (let index = 0; index <= mostRemembered; index += 1) {
      await limiter(`user:${index}`, 1)
    }
    await limiter('user:1', 1)
    expect(asked).toHaveLength(mostRemembered + 1)
    await limiter('user:0', 1)
    expect(asked).toHaveLength(mostRemembered + 2)
  })
})
