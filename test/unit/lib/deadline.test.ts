import { expect, it, onTestFinished, vi } from 'vitest'
import { withDeadline } from '../../../src/lib/deadline.ts'

// That it waits until the deadline and leaves no timer behind, the tests of the limiter show.
it.each([
  ['fails', (end: PromiseWithResolvers<number>) => end.reject(new Error('broken'))],
  ['ends', (end: PromiseWithResolvers<number>) => end.resolve(1)],
])('what comes late counts, even where the work %s before that comes', async (_, settle) => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const [work, instead] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  const value = withDeadline(work.promise, 100, () => instead.promise)
  await vi.advanceTimersByTimeAsync(100)
  settle(work)
  await vi.advanceTimersByTimeAsync(0)
  instead.resolve(2)
  expect(await value).toBe(2)
})
