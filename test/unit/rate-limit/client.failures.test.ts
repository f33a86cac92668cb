import { afterEach, describe, expect, test, vi } from 'vitest'
import { quietMs } from '../../../src/rate-limit/client.ts'
import { mostRemembered } from '../../../src/rate-limit/policy.ts'
import { useFakeClock } from './fake-clock.ts'
import { answering, failing, limiterAsking, limiterOf, limits } from './limiter.ts'

useFakeClock()

afterEach(() => {
  vi.restoreAllMocks()
})

describe('when the object fails', () => {
  test('a failure marked retryable is tried once more, 20 to 60 ms later', async () => {
    const { limiter, asked, onDegraded } = limiterOf(failing({ retryable: true }), answering({}))
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(19)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(41)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 42 })
    expect(asked).toHaveLength(2)
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('after a pause that chance spreads between the two', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.75)
    const { limiter, asked } = limiterOf(failing({ retryable: true }), answering({}))
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(49)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked).toHaveLength(2)
    await verdict
  })

  test('not a third time', async () => {
    const { limiter, asked, onDegraded } = limiterOf(failing({ retryable: true }))
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(60)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 99 })
    expect(asked).toHaveLength(2)
    expect(onDegraded).toHaveBeenCalledOnce()
  })

  test.each([
    { failedMs: 949, attempts: 2, remaining: 42 },
    { failedMs: 950, attempts: 1, remaining: 99 },
    { failedMs: 990, attempts: 1, remaining: 99 },
  ])('and only where the retry is in time: $attempts after $failedMs ms', async (row) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.75)
    const late = () => new Promise((_, reject) => setTimeout(reject, row.failedMs, retryable))
    const retryable = Object.assign(new Error('reset'), { retryable: true })
    const { limiter, asked } = limiterOf(late, answering({}))
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(1_000)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: row.remaining })
    expect(asked).toHaveLength(row.attempts)
  })

  test('an overloaded object is a 429 for a second, asked no second time', async () => {
    const { limiter, asked, onDegraded } = limiterOf(failing({ overloaded: true, retryable: true }))
    await expect(limiter('user:a', 5)).resolves.toEqual({
      ...limits,
      allowed: false,
      remaining: 0,
      cost: 5,
      retryAfter: 1,
    })
    expect(asked).toHaveLength(1)
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('for that second the caller is refused without asking it again, whatever the price', async () => {
    const { limiter, rateLimiter, asked } = limiterOf(failing({ overloaded: true }), answering({}))
    await limiter('user:a', 5)
    vi.advanceTimersByTime(900)
    expect(rateLimiter.recall('user:a', 1)).toMatchObject({ allowed: false, retryAfter: 1 })
    await expect(limiter('user:a', 5)).resolves.toMatchObject({ allowed: false, retryAfter: 1 })
    expect(asked).toHaveLength(1)
    vi.advanceTimersByTime(100)
    await expect(limiter('user:a', 5)).resolves.toMatchObject({ allowed: true })
    expect(asked).toHaveLength(2)
  })

  test('so it is when the retry finds it overloaded', async () => {
    const { limiter } = limiterOf(failing({ retryable: true }), failing({ overloaded: true }))
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(60)
    await expect(verdict).resolves.toMatchObject({ allowed: false, retryAfter: 1 })
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an object', { ...limits, allowed: true, remaining: 42, waitMs: 0 }],
    ['a number', 42],
    ['a list of what would be one', ['100 50 42 0']],
    ['an empty text', ''],
    ['a missing figure', '100 50 42'],
    ['a figure too many', '100 50 42 0 0'],
    ['a negative figure', '100 50 -1 0'],
    ['a fraction', '100 50 0.5 0'],
    ['NaN', '100 50 0 NaN'],
    ['a figure that no double counts', `100 50 42 ${2n ** 53n}`],
    ['another separator', '100,50,42,0'],
    ['a space before it', ' 100 50 42 0'],
    ['a line after it', '100 50 42 0\n'],
  ])('an answer that is none counts as a failure: %s', async (_, answer) => {
    const { limiter, onDegraded } = limiterOf(() => answer)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true, remaining: 99 })
    const fault = new Error('The rate limiter gave an answer that is none')
    expect(onDegraded).toHaveBeenCalledExactlyOnceWith(fault)
  })

  test.each([
    ['an error', failing()],
    ['a string', () => Promise.reject('broken')],
    ['undefined', () => Promise.reject(undefined)],
  ])('never rejects, whatever was thrown: %s', async (_, answer) => {
    const { limiter } = limiterOf(answer)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
  })

  test('not even when there is no stub to be had', async () => {
    const { limiter, onDegraded } = limiterAsking(() => {
      throw new TypeError('no such namespace')
    })
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true, remaining: 99 })
    expect(onDegraded).toHaveBeenCalledWith(new TypeError('no such namespace'))
  })
})

describe("the isolate's own bucket (contract, section 10)", () => {
  test('has the same numbers, one bucket for each caller', async () => {
    const { limiter } = limiterOf(failing())
    const allowed = []
    for (let index = 0; index < 21; index += 1) {
      allowed.push((await limiter('user:a', 5)).allowed)
    }
    expect(allowed).toEqual([...Array(20).fill(true), false])
    await expect(limiter('user:a', 5)).resolves.toEqual({
      ...limits,
      allowed: false,
      remaining: 0,
      cost: 5,
      retryAfter: 1,
    })
    await expect(limiter('user:b', 5)).resolves.toMatchObject({ allowed: true, remaining: 95 })
    vi.advanceTimersByTime(100)
    await expect(limiter('user:a', 5)).resolves.toMatchObject({ allowed: true, remaining: 0 })
  })

  test('is not asked, and neither is the object, until the next token of a refused caller is due', async () => {
    const { limiter, rateLimiter, asked } = limiterOf(failing())
    await limiter('user:a', 100)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: false })
    expect(rateLimiter.recall('user:a', 1)).toMatchObject({ allowed: false, remaining: 0 })
    await limiter('user:a', 1)
    expect(asked).toHaveLength(2)
    vi.advanceTimersByTime(20)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
    expect(asked).toHaveLength(3)
  })

  test('hands back to the object as soon as that answers', async () => {
    const { limiter } = limiterOf(failing(), answering({}))
    await limiter('user:a', 1)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ remaining: 42 })
  })

  test('goes, when there are too many, in order of last use', async () => {
    const { limiter } = limiterOf(failing())
    await limiter('user:used', 5)
    await limiter('user:old', 5)
    for (let index = 0; index < mostRemembered - 2; index += 1) {
      await limiter(`user:${index}`, 1)
    }
    await limiter('user:used', 5)
    await limiter('user:one too many', 1)
    await expect(limiter('user:used', 5)).resolves.toMatchObject({ remaining: 85 })
    await expect(limiter('user:old', 5)).resolves.toMatchObject({ remaining: 95 })
  })

  test('is reported in one line, and in one more when the outage lasts', async () => {
    const { limiter, onDegraded } = limiterOf(failing())
    for (let index = 0; index < 50; index += 1) {
      await limiter(`user:${index}`, 1)
    }
    expect(onDegraded.mock.calls).toEqual([[new Error('the object failed')]])
    vi.advanceTimersByTime(quietMs - 1)
    await limiter('user:a', 1)
    expect(onDegraded).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(1)
    await limiter('user:a', 1)
    expect(onDegraded).toHaveBeenCalledTimes(2)
  })

  test('goes by the clock it is given', async () => {
    let nowMs = 5_000
    const { limiter } = limiterAsking(failing(), { clock: () => nowMs })
    await limiter('user:a', 100)
    nowMs += 20
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true, remaining: 0 })
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: false })
  })
})
