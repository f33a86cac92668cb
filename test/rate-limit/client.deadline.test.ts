import { describe, expect, test, vi } from 'vitest'
import { useFakeClock } from './fake-clock.ts'
import { answering, failing, limiterOf, never } from './limiter.ts'

useFakeClock()

describe('the 250 ms that a caller waits (contract, section 10)', () => {
  test('after 250 ms without an answer the isolate decides', async () => {
    const { limiter, onDegraded } = limiterOf(never)
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

  test('the 250 ms hold for both attempts together', async () => {
    const { limiter } = limiterOf(failing({ retryable: true }), never)
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(250)
    await expect(verdict).resolves.toMatchObject({ allowed: true, remaining: 99 })
  })

  test('the 250 ms begin with the question, not with the wait', async () => {
    const { begin } = limiterOf(never)
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(200)
    const settled = vi.fn()
    verdict().then(settled)
    await vi.advanceTimersByTimeAsync(49)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledOnce()
  })

  test('they are no more when the clock goes back', async () => {
    const { begin } = limiterOf(never)
    const verdict = begin('user:a', 1)
    vi.setSystemTime(Date.now() - 60_000)
    const settled = vi.fn()
    verdict().then(settled)
    await vi.advanceTimersByTimeAsync(250)
    expect(settled).toHaveBeenCalledOnce()
  })

  test('whoever waits after them waits no longer', async () => {
    const { begin } = limiterOf(never)
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(1_000)
    const settled = vi.fn()
    verdict().then(settled)
    await vi.advanceTimersByTimeAsync(0)
    expect(settled).toHaveBeenCalledOnce()
  })

  test('an answer that came late but before anybody waited for it counts', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 400, answering({})()))
    const { begin, onDegraded } = limiterOf(slow)
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(400)
    await expect(verdict()).resolves.toMatchObject({ remaining: 42 })
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('a retry does not wait until somebody waits for the verdict', async () => {
    const { begin, asked } = limiterOf(failing({ retryable: true }), answering({}))
    const verdict = begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(60)
    expect(asked).toHaveLength(2)
    await expect(verdict()).resolves.toMatchObject({ remaining: 42 })
  })

  test('a failure that nobody waits for harms nobody', async () => {
    const { begin, onDegraded } = limiterOf(failing())
    begin('user:a', 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(onDegraded).not.toHaveBeenCalled()
  })

  test('the verdict is one, however often it is waited for', async () => {
    const { begin, onDegraded } = limiterOf(failing())
    const verdict = begin('user:a', 40)
    await expect(verdict()).resolves.toMatchObject({ remaining: 60 })
    await expect(verdict()).resolves.toMatchObject({ remaining: 60 })
    expect(onDegraded).toHaveBeenCalledOnce()
  })

  test('a late failure harms nobody', async () => {
    const late = () => new Promise((_, reject) => setTimeout(reject, 400, new Error('too late')))
    const { limiter } = limiterOf(late)
    const verdict = limiter('user:a', 1)
    await vi.advanceTimersByTimeAsync(400)
    await expect(verdict).resolves.toMatchObject({ allowed: true })
  })
})
