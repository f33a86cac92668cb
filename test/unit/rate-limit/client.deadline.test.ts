import { describe, expect, test, vi } from 'vitest'
import { mostRemembered } from '../../../src/rate-limit/client.ts'
import { useFakeClock } from './fake-clock.ts'
import { answering, failing, limiterAsking, limiterOf, never } from './limiter.ts'

useFakeClock()

/** A limiter whose object has answered once, and from then on answers, in turn, what is given. */
async function afterAnAnswer(...answers: readonly (() => unknown)[]) {
  const made = limiterOf(answering({}), ...answers)
  await made.limiter('user:a', 1)
  return made
}

describe('the deadline of 250 ms (contract, section 10)', () => {
  test('leaves the decision to the isolate when no answer has come', async () => {
    const { limiter, onDegraded } = await afterAnAnswer(never)
    const settled = vi.fn()
    const verdict = limiter('user:a', 1)
    verdict.then(settled)
    await vi.advanceTimersByTimeAsync(249)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 99 })
    expect(onDegraded.mock.calls).toEqual([
      [new Error('The rate limiter gave no answer within 250 ms')],
    ])
  })

  test('holds for both attempts together', async () => {
    const { limiter } = await afterAnAnswer(failing({ retryable: true }), never)
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(250)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 99 })
  })

  test('counts from the question, not from the wait', async () => {
    const { begin } = await afterAnAnswer(never)
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(200)
    const settled = vi.fn()
    verdict().then(settled)
    await vi.advanceTimersByTimeAsync(49)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledOnce()
  })

  test('is no longer when the clock goes back', async () => {
    const { begin } = await afterAnAnswer(never)
    const verdict = begin('user:a', 1)
    vi.setSystemTime(Date.now() - 60_000)
    const settled = vi.fn()
    verdict().then(settled)
    await vi.advanceTimersByTimeAsync(250)
    expect(settled).toHaveBeenCalledOnce()
  })

  test('has passed for a request that begins to wait after it', async () => {
    const { begin } = await afterAnAnswer(never)
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(1_000)
    const settled = vi.fn()
    verdict().then(settled)
    await vi.advanceTimersByTimeAsync(0)
    expect(settled).toHaveBeenCalledOnce()
  })

  test('does not apply to a late answer that came before anybody waited for it', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 400, answering({})()))
    const { begin, onDegraded } = await afterAnAnswer(slow)
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(400)
    await expect(verdict()).resolves.toMatchObject({ remaining: 42 })
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('does not delay a retry until somebody waits for the verdict', async () => {
    const { begin, asked } = limiterOf(failing({ retryable: true }), answering({}))
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(60)
    expect(asked).toHaveLength(2)
    await expect(verdict()).resolves.toMatchObject({ remaining: 42 })
  })

  test('does not delay the charge and the report of a failure that nobody waits for', async () => {
    const { begin, onDegraded } = limiterOf(failing())
    begin('user:a', 40)
    await vi.advanceTimersByTimeAsync(0)
    expect(onDegraded).toHaveBeenCalledOnce()
    await expect(begin('user:a', 1)()).resolves.toMatchObject({ remaining: 59 })
  })

  test('leads to one verdict, however often it is waited for', async () => {
    const { begin, onDegraded } = limiterOf(failing())
    const verdict = begin('user:a', 40)
    await expect(verdict()).resolves.toMatchObject({ remaining: 60 })
    await expect(verdict()).resolves.toMatchObject({ remaining: 60 })
    expect(onDegraded).toHaveBeenCalledOnce()
  })

  test('makes a late failure harmless: the request is charged once', async () => {
    const late = () => new Promise((_, reject) => setTimeout(reject, 400, new Error('too late')))
    const { limiter } = await afterAnAnswer(late, failing())
    const verdict = limiter('user:a', 40)
    await vi.advanceTimersByTimeAsync(250)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 60 })
    // In 150 ms the isolate's own bucket gains seven whole tokens.
    await vi.advanceTimersByTimeAsync(150)
    await expect(limiter('user:a', 1)).resolves.toMatchObject({ remaining: 66 })
  })

  test('leads to one verdict, even where the answer comes after it', async () => {
    const late = () => new Promise((resolve) => setTimeout(resolve, 400, answering({})()))
    const { begin } = await afterAnAnswer(late)
    const verdict = begin('user:a', 40)
    const first = verdict()
    await vi.advanceTimersByTimeAsync(400)
    await expect(first).resolves.toMatchObject({ remaining: 60 })
    await expect(verdict()).resolves.toMatchObject({ remaining: 60 })
  })
})

describe('the deadline of 1 s for a first contact (contract, section 10)', () => {
  /** Milliseconds until the limiter decides about the key. */
  async function patience(limiter: (key: string, cost: number) => Promise<unknown>, key: string) {
    const startedMs = Date.now()
    let endedMs: number | undefined
    limiter(key, 1).then(() => {
      endedMs = Date.now()
    })
    await vi.advanceTimersByTimeAsync(2_000)
    return (endedMs ?? Number.NaN) - startedMs
  }

  test('holds for each question to an object that has never answered', async () => {
    const { limiter, onDegraded } = limiterOf(never)
    expect(await patience(limiter, 'user:a')).toBe(1_000)
    expect(await patience(limiter, 'user:a')).toBe(1_000)
    expect(onDegraded.mock.calls).toEqual([
      [new Error('The rate limiter gave no answer within 1000 ms')],
    ])
  })

  test('is 250 ms from the first answer of the object on', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 600, answering({})()))
    const { limiter, onDegraded } = limiterOf(slow, never)
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(600)
    await expect(verdict).resolves.toMatchObject({ remaining: 42 })
    expect(onDegraded).not.toHaveBeenCalled()
    expect(await patience(limiter, 'user:a')).toBe(250)
  })

  test('still holds for another object that has never answered', async () => {
    const { limiter } = await afterAnAnswer(never)
    expect(await patience(limiter, 'user:b')).toBe(1_000)
    expect(await patience(limiter, 'user:a')).toBe(250)
  })

  test('still holds after a failure, and after an answer that is not a grant', async () => {
    const { limiter } = limiterOf(failing(), () => 'nonsense', never)
    await limiter('user:a', 1)
    await limiter('user:a', 1)
    expect(await patience(limiter, 'user:a')).toBe(1_000)
  })

  test('no longer holds after an answer that came too late', async () => {
    const late = () => new Promise((resolve) => setTimeout(resolve, 1_500, answering({})()))
    const { limiter } = limiterOf(late, never)
    expect(await patience(limiter, 'user:a')).toBe(1_000)
    expect(await patience(limiter, 'user:a')).toBe(250)
  })

  test('can be configured, and so can the other one', async () => {
    const deadlines = { deadlineMs: 70, firstDeadlineMs: 300 }
    const answers = [never, answering({}), never]
    const { limiter } = limiterAsking(async () => answers.shift()?.(), { deadlines })
    expect(await patience(limiter, 'user:a')).toBe(300)
    await limiter('user:a', 1)
    expect(await patience(limiter, 'user:a')).toBe(70)
  })

  test('holds again for the object that was used longest ago when too many objects are remembered', async () => {
    let isUp = true
    const { limiter } = limiterAsking(async () => (isUp ? answering({})() : never()))
    await limiter('user:a', 1)
    await limiter('user:b', 1)
    for (let index = 0; index < mostRemembered - 2; index += 1) {
      await limiter(`user:${index}`, 1)
    }
    await limiter('user:a', 1)
    await limiter('user:last', 1)
    isUp = false
    expect(await patience(limiter, 'user:a')).toBe(250)
    expect(await patience(limiter, 'user:0')).toBe(250)
    expect(await patience(limiter, 'user:b')).toBe(1_000)
  })
})
