import { afterEach, beforeEach, expect, vi } from 'vitest'

/** Has each test of a file run on timers that stand still, from a fixed time on, and leave none of them behind. */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 })
  })

  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
}
