import { afterEach, describe, expect, test, vi } from 'vitest'
import { mostRemembered, quietMs } from '../../../src/rate-limit/client.ts'
import { useFakeClock } from './fake-clock.ts'
import { answering, failing, limiterAsking, limiterOf, limits } from './limiter.ts'

useFakeClock()

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the limiter, when the object fails', () => {
  test.each([
    { random: 0, pauseMs: 20 },
    { random: 0.75, pauseMs: 50 },
    { random: 1, pauseMs: 60 },
  ])(
    'asks once more after a failure that is marked as retryable, and a random pause: $pauseMs ms',
    async ({ random, pauseMs }) => {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      const { limiter, asked, onDegraded } = limiterOf(failing({ retryable: true }), answering({}))
      const verdict = limiter('user:a', 1)
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(asked).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(asked).toHaveLength(2)
      await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 42 })
      expect(onDegraded).not.toHaveBeenCalled()
    },
  )

  test('does not ask a third time', async () => {
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
  ])(
    'asks once more only where there is time for it: $attempts attempts after $failedMs ms',
    async (row) => {
      vi.spyOn(Math, 'random').mockReturnValue(0.75)
      const late = () => new Promise((_, reject) => setTimeout(reject, row.failedMs, retryable))
      const retryable = Object.assign(new Error('reset'), { retryable: true })
      const { limiter, asked } = limiterOf(late, answering({}))
      const verdict = limiter('user:a', 1)
      await vi.advanceTimersByTimeAsync(1_000)
      await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: row.remaining })
      expect(asked).toHaveLength(row.attempts)
    },
  )

  test('refuses for a second when the object is overloaded, and does not ask it again', async () => {
    const { limiter, asked, onDegraded } = limiterOf(failing({ overloaded: true, retryable: true }))
    await expect(limiter('user:a', 5)).resolves.toEqual({
      ...limits,
      allowed: false,
      remaining: 0,
      cost: 5,
      waitMs: 1_000,
    })
    expect(asked).toHaveLength(1)
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('refuses the caller of an overloaded object for a second without asking, whatever the price', async () => {
    const { limiter, rateLimiter, asked } = limiterOf(failing({ overloaded: true }), answering({}))
    await limiter('user:a', 5)
    vi.advanceTimersByTime(900)
    expect(rateLimiter.recall('user:a', 1)).toMatchObject({ allowed: false, waitMs: 20 })
    await expect(limiter('user:a', 5)).resolves.toMatchObject({ allowed: false, waitMs: 100 })
    expect(asked).toHaveLength(1)
    vi.advanceTimersByTime(100)
    await expect(limiter('user:a', 5)).resolves.toMatchObject({ allowed: true })
    expect(asked).toHaveLength(2)
  })

  test('refuses for a second when the retry finds the object overloaded', async () => {
    const { limiter } = limiterOf(failing({ retryable: true }), failing({ overloaded: true }))
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(60)
    await expect(verdict).resolves.toMatchObject({ allowed: false, waitMs: 1_000 })
  })

  test.each([
    ['nothing', undefined],
    ['a list of what would be one', ['100 50 42 0']],
    ['a missing figure', '100 50 42'],
    ['a figure too many', '100 50 42 0 0'],
    ['a negative figure', '100 50 -1 0'],
    ['NaN', '100 50 0 NaN'],
    ['a figure that no double counts', `100 50 42 ${2n ** 53n}`],
    ['another separator', '100,50,42,0'],
    ['a space before it', ' 100 50 42 0'],
    ['a line after it', '100 50 42 0\n'],
  ])('takes an answer that is not a grant for a failure: %s', async (_, answer) => {
    const { limiter, onDegraded } = limiterOf(() => answer)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true, remaining: 99 })
    const fault = new Error('The rate limiter gave an answer that is not a grant')
    expect(onDegraded).toHaveBeenCalledExactlyOnceWith(fault)
  })

  test.each([
    ['an error', failing()],
    ['a string', () => Promise.reject('broken')],
    ['undefined', () => Promise.reject(undefined)],
  ])('does not reject when the object throws %s', async (_, answer) => {
    const { limiter } = limiterOf(answer)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ allowed: true })
  })

  test('does not reject when there is no stub', async () => {
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
      isRemembered: true,
      remaining: 0,
      cost: 5,
      waitMs: 100,
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

  test('is not used any more as soon as the object answers', async () => {
    const { limiter } = limiterOf(failing(), answering({}))
    await limiter('user:a', 1)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ remaining: 42 })
  })

  test('is forgotten first where it was used longest ago, when there are too many', async () => {
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
})
