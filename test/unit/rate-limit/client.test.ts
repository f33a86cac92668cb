import { describe, expect, test, vi } from 'vitest'
import {
  type Ask,
  askObjects,
  createRateLimiter,
  maxRemembered,
  quietMs,
} from '../../../src/rate-limit/client.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { useFakeClock } from './fake-clock.ts'

useFakeClock()

/** The limits of the limiters under test. */
const usual = { capacity: 100, rate: 50 }

/** A limiter that asks in the given way. */
function limiterAsking(ask: Ask) {
  const onDegraded = vi.fn<(error: unknown) => void>()
  const limiter = createRateLimiter({
    ask,
    limit: { ...usual, deadlineMs: 500 },
    onDegraded,
  })
  return {
    limiter,
    onDegraded,
    verdict: (key: string, cost: number) => limiter.ask(key, cost).verdict,
  }
}

/** A limiter whose object answers, in turn, what is given; the last answer for good. */
function limiterOf(...answers: readonly (() => unknown)[]) {
  const asked: string[] = []
  const made = limiterAsking(async (key, cost) => {
    asked.push(`${cost} ${key}`)
    return answers[Math.min(asked.length, answers.length) - 1]?.() as number
  })
  return { asked, ...made }
}

/** An object that allows, and has these tokens left. */
const allowing = (tokens: number) => () => tokens * 1_000

/** An object that refuses, because these tokens are missing. */
const lacking = (tokens: number) => () => -tokens * 1_000

/** An object that throws an error with marks as the platform sets them. */
function failing(marks: { overloaded?: boolean; retryable?: boolean } = {}) {
  return () => {
    throw Object.assign(new Error('the object failed'), marks)
  }
}

/** An object that answers after some time. */
const after = (milliseconds: number, answer: () => unknown) => () =>
  new Promise((resolve, reject) => {
    setTimeout(() => Promise.try(answer).then(resolve, reject), milliseconds)
  })

/** An object that does not answer. */
const never = () => new Promise<never>(() => {})

describe('the limiter, while the object answers', () => {
  test('tells what the object says, after one call', async () => {
    const { verdict, asked } = limiterOf(allowing(42.5), lacking(4.5))
    const allowed = { allowed: true, remaining: 42, waitMs: 0 }
    expect(await verdict('a', 5)).toEqual({ ...usual, cost: 5, ...allowed })
    const refused = { allowed: false, remaining: 0, waitMs: 90 }
    expect(await verdict('a', 5)).toEqual({ ...usual, cost: 5, ...refused })
    expect(asked).toEqual(['5 a', '5 a'])
  })

  test('asks the object of that name by a new stub each time, with the limits of this version, where it is configured and nowhere else', async () => {
    const takeTokens = vi.fn(async () => allowing(42)())
    const inside = { getByName: vi.fn(() => ({ takeTokens })), jurisdiction: vi.fn() }
    const outside = { getByName: vi.fn(), jurisdiction: vi.fn(() => inside) }
    const limit = rateLimitFrom({ RATE_LIMIT_JURISDICTION: 'eu' })
    const { verdict } = limiterAsking(askObjects(outside, limit))
    await verdict('a', 1)
    await verdict('a', 5)
    expect(outside.jurisdiction.mock.calls).toEqual([['eu'], ['eu']])
    expect(inside.getByName.mock.calls).toEqual([['a'], ['a']])
    expect(outside.getByName).not.toHaveBeenCalled()
    expect(takeTokens.mock.calls).toEqual([
      [1, 100, 50],
      [5, 100, 50],
    ])
  })
})

describe('a refusal', () => {
  test('is remembered until the price is due, and costs no call until then', async () => {
    const { verdict, asked } = limiterOf(lacking(2), allowing(0))
    await verdict('a', 5)
    const seen = []
    for (const pauseMs of [0, 20, 19]) {
      vi.advanceTimersByTime(pauseMs)
      const { waitMs, remaining } = await verdict('a', 5)
      seen.push([waitMs, remaining])
    }
    expect(seen).toEqual([
      [40, 3],
      [20, 4],
      [1, 4],
    ])
    expect(asked).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(await verdict('a', 5)).toMatchObject({ allowed: true })
    expect(asked).toHaveLength(2)
  })

  test('is remembered no longer than due, though the answer was slow', async () => {
    const { verdict, limiter } = limiterOf(after(60, lacking(5)))
    const slow = verdict('a', 5)
    await vi.advanceTimersByTimeAsync(60)
    expect((await slow).allowed).toBe(false)
    expect(limiter.recall('a', 5)?.waitMs).toBe(40)
  })

  test('is forgotten where too many other callers have asked since', async () => {
    const { verdict, limiter } = limiterOf(lacking(1))
    await verdict('a', 1)
    for (let count = 1; count < maxRemembered; count += 1) {
      await verdict(`other ${count}`, 1)
    }
    expect(limiter.recall('a', 1)).toBeDefined()
    await verdict('one more', 1)
    expect(limiter.recall('a', 1)).toBeUndefined()
  })
})

describe('the limiter, when the object fails', () => {
  test.each([
    ['throws', failing()],
    ['throws what is no error', () => Promise.reject(undefined)],
    ['answers as an earlier version did', () => ({ allowed: true, millitokens: 95_000 })],
    ['answers no number', () => Number.NaN],
  ])('and %s, goes on with a bucket of its own and reports it', async (_, fault) => {
    const { verdict, onDegraded, asked } = limiterOf(fault)
    expect(await verdict('a', 60)).toMatchObject({ ...usual, allowed: true, remaining: 40 })
    expect(await verdict('a', 60)).toMatchObject({ allowed: false, remaining: 40, waitMs: 400 })
    expect(await verdict('b', 60)).toMatchObject({ allowed: true, remaining: 40 })
    // The refusal is remembered like any other.
    expect(await verdict('a', 60)).toMatchObject({ allowed: false })
    expect(asked).toHaveLength(3)
    expect(onDegraded).toHaveBeenCalledOnce()
  })

  test('goes on from what the object has said last', async () => {
    const { verdict } = limiterOf(allowing(30), failing())
    await verdict('a', 1)
    expect(await verdict('a', 10)).toMatchObject({ allowed: true, remaining: 20 })
  })

  test('decides after the deadline, counted from the question, whatever comes later', async () => {
    const { verdict, onDegraded } = limiterOf(
      never,
      after(501, allowing(42)),
      after(499, allowing(42)),
    )
    const settled = vi.fn()
    const verdicts = [verdict('a', 1), verdict('b', 1), verdict('c', 1)]
    verdicts[0]?.then(settled)
    await vi.advanceTimersByTimeAsync(499)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(1)
    expect((await Promise.all(verdicts)).map(({ remaining }) => remaining)).toEqual([99, 99, 42])
    const fault = new Error('The rate limiter gave no answer within 500 ms')
    expect(onDegraded).toHaveBeenCalledExactlyOnceWith(fault)
  })

  test('refuses for more than a second, without asking again, where the object is overloaded', async () => {
    const fault = failing({ overloaded: true, retryable: true })
    const { verdict, limiter, asked, onDegraded } = limiterOf(fault, allowing(42))
    expect(await verdict('a', 5)).toMatchObject({ allowed: false, remaining: 0, waitMs: 1_100 })
    vi.advanceTimersByTime(1_000)
    expect(limiter.recall('a', 1)).toMatchObject({ allowed: false, waitMs: 20 })
    vi.advanceTimersByTime(100)
    expect(await verdict('a', 5)).toMatchObject({ allowed: true })
    expect(asked).toHaveLength(2)
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('reports an outage once in ten seconds', async () => {
    const { verdict, onDegraded } = limiterOf(failing())
    for (const pauseMs of [0, 0, quietMs - 1, 1]) {
      vi.advanceTimersByTime(pauseMs)
      await verdict('a', 1)
    }
    expect(onDegraded).toHaveBeenCalledTimes(2)
  })
})

describe('a read may start before its verdict', () => {
  test('while the prices under way fit the burst, where nothing is known of the caller', () => {
    const { limiter } = limiterOf(allowing(0))
    const mayStart = (key: string, cost: number) => limiter.ask(key, cost).mayStart
    expect([mayStart('a', 60), mayStart('a', 40), mayStart('a', 1)]).toEqual([true, true, false])
    expect(mayStart('b', 1)).toBe(true)
  })

  test('while they fit what the object has said last, and time has added', async () => {
    const { limiter, verdict } = limiterOf(allowing(3), allowing(90))
    await verdict('a', 1)
    expect(limiter.ask('a', 3).mayStart).toBe(true)
    expect(limiter.ask('a', 1).mayStart).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    expect(limiter.ask('a', 5).mayStart).toBe(true)
    expect(limiter.ask('a', 1).mayStart).toBe(false)
  })

  test('but not where a refusal is remembered', async () => {
    const { limiter, verdict } = limiterOf(lacking(1))
    await verdict('a', 1)
    expect(limiter.ask('a', 1).mayStart).toBe(false)
  })
})
