import { expect, it, onTestFinished, vi } from 'vitest'
import { createProgress } from '../../../../scripts/lib/progress.ts'

/** What a progress writes: work of two parts, of which the first takes 30 seconds. */
function written(isTTY: boolean): string[] {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const progress = createProgress({ isTTY, write: (text) => lines.push(String(text)) > 0 })
  progress.begin('users', 30_000)
  for (let second = 0; second < 30; second++) {
    vi.advanceTimersByTime(1_000)
    progress.add(1_000)
  }
  progress.begin('nothing', 0)
  progress.begin('relatives', 2)
  vi.advanceTimersByTime(11_000)
  progress.end()
  return lines
}

it('Progress goes to a file in a line every ten seconds, and one for each part that ends', () => {
  expect(written(false)).toEqual([
    'users: 9,000 of 30,000, 900 a second, 23 s left\n',
    'users: 19,000 of 30,000, 950 a second, 11 s left\n',
    'users: 29,000 of 30,000, 967 a second, 1 s left\n',
    'users: 30,000 of 30,000, 1,000 a second, in 30 s\n',
    'relatives: 0 of 2, 0 a second, 10 s so far\n',
    'relatives: 0 of 2, 0 a second, 11 s so far\n',
  ])
})

it('Progress goes to a terminal in one line, which is written anew', () => {
  const lines = written(true)
  expect(lines.every((line) => line.startsWith('\r\u001b[K'))).toBe(true)
  expect(lines.filter((line) => line.endsWith('\n'))).toHaveLength(2)
  expect(lines.length).toBeGreaterThan(150)
})
