import { describe, expect, test, vi } from 'vitest'
import { useFakeClock } from './fake-clock.ts'
import { answering, failing, limiterOf, never } from './limiter.ts'

useFakeClock()

describe('a request starts ahead of the verdict while the prices under way fit the tokens last known (contract, section 10)', () => {
  test('which are the burst where nothing is known of the bucket', () => {
    const { rateLimiter } = limiterOf(never)
    expect(rateLimiter.ask('a', 60).mayStart).toBe(true)
    expect(rateLimiter.ask('a', 40).mayStart).toBe(true)
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
    expect(rateLimiter.ask('b', 1).mayStart).toBe(true)
  })

  test('which are what the last answer has left and time has added since', async () => {
    const { rateLimiter } = limiterOf(answering({ remaining: 3 }), never)
    await rateLimiter.ask('a', 1).verdict()
    expect(rateLimiter.ask('a', 3).mayStart).toBe(true)
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
    vi.advanceTimersByTime(100)
    // Five tokens later four are under way and one is asked for.
    expect(rateLimiter.ask('a', 4).mayStart).toBe(true)
  })

  test("which are what the isolate's own bucket has left where the object fails", async () => {
    const { rateLimiter } = limiterOf(failing())
    await rateLimiter.ask('a', 97).verdict()
    expect(rateLimiter.ask('a', 3).mayStart).toBe(true)
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
  })

  test('and a cancelled request keeps its tokens only as long as an answer may take', async () => {
    const { rateLimiter } = limiterOf(never)
    rateLimiter.ask('a', 100)
    vi.advanceTimersByTime(1_000)
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
    vi.advanceTimersByTime(1_001)
    expect(rateLimiter.ask('a', 100).mayStart).toBe(true)
  })

  test('which are none where a refusal is remembered', async () => {
    const { rateLimiter } = limiterOf(answering({ allowed: false, remaining: 0, waitMs: 20 }))
    await rateLimiter.ask('a', 1).verdict()
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
  })

  test('and an answer ends what is under way, whether anybody waits for it or not', async () => {
    const { rateLimiter } = limiterOf(answering({ remaining: 100 }))
    rateLimiter.ask('a', 100)
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
    await vi.advanceTimersByTimeAsync(0)
    expect(rateLimiter.ask('a', 100).mayStart).toBe(true)
  })

  test.each([
    ['a failure', failing()],
    ['the deadline of an object that never answers', never],
  ])('and %s ends it, too, once', async (_, answer) => {
    const { rateLimiter } = limiterOf(answer)
    const first = rateLimiter.ask('a', 60)
    rateLimiter.ask('a', 40)
    const verdict = first.verdict()
    await vi.advanceTimersByTimeAsync(1_000)
    await verdict
    await first.verdict()
    // Until the isolate's own bucket is full again.
    vi.advanceTimersByTime(2_000)
    expect(rateLimiter.ask('a', 100).mayStart).toBe(true)
    expect(rateLimiter.ask('a', 1).mayStart).toBe(false)
  })

  test('and an answer ends what its own request has under way, once, and nothing of others', async () => {
    const { rateLimiter } = limiterOf(answering({ remaining: 100 }), never)
    const first = rateLimiter.ask('a', 30)
    rateLimiter.ask('a', 60)
    await first.verdict()
    expect(rateLimiter.ask('a', 41).mayStart).toBe(false)
  })

  test('and an answer does not prolong how long a cancelled request keeps its tokens', async () => {
    const late = Promise.withResolvers<unknown>()
    const { rateLimiter } = limiterOf(never, () => late.promise)
    rateLimiter.ask('a', 60)
    rateLimiter.ask('a', 10)
    vi.advanceTimersByTime(900)
    late.resolve(answering({ remaining: 100 })())
    await vi.advanceTimersByTimeAsync(101)
    expect(rateLimiter.ask('a', 100).mayStart).toBe(true)
  })
})
