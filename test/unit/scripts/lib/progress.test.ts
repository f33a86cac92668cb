import { expect, it, onTestFinished, vi } from 'vitest'
import { createProgress } from '../../../../scripts/lib/progress.ts'

it('Progress goes to stderr in a line every ten seconds, and one for each part that ends', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const written = vi.spyOn(console, 'error').mockReturnValue()
  const progress = createProgress()
  progress.begin('users', 30_000)
  for (let second = 0; second < 30; second++) {
    vi.advanceTimersByTime(1_000)
    progress.add(1_000)
  }
  progress.begin('nothing', 0)
  progress.begin('relatives', 2)
  vi.advanceTimersByTime(11_000)
  progress.end()
  expect(written.mock.calls.flat()).toEqual([
    'users: 9,000 of 30,000, 900 a second, 23 s left',
    'users: 19,000 of 30,000, 950 a second, 12 s left',
    'users: 29,000 of 30,000, 967 a second, 1 s left',
    'users: 30,000 of 30,000, 1,000 a second, in 30 s',
    'relatives: 0 of 2, 0 a second',
    'relatives: 0 of 2, 0 a second',
  ])
})
