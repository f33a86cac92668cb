import { afterEach, beforeEach, expect, vi } from 'vitest'
import { describe } from '../../../src/http/log.ts'
import { ApiError } from '../../../src/jsonapi/problems.ts'
import type { Around } from './d1.ts'

/** A clock that stands still until it is put forward. After the test, no error may be left unhandled. */
export function useFakeClock(): void {
  const unhandled = vi.fn()
  beforeEach(() => {
    vi.useFakeTimers()
    unhandled.mockReset()
    process.on('unhandledRejection', unhandled)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    vi.useRealTimers()
    // Node reports unhandled errors after the microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
}

/** A failure after which a write is tried again. */
export const lost = 'D1_ERROR: Network connection lost.'

/** What happens in a round trip. */
export type Trip = 'hangs' | 'lost before it' | 'lost after it' | 'good'

/** Round trips that go as planned, in their order; nothing goes wrong in those after the last. */
export function trips(...plan: readonly Trip[]): Around {
  let count = 0
  return async (_, run) => {
    const trip = plan[count++] ?? 'good'
    if (trip === 'good' || trip.endsWith('after it')) {
      await run()
    }
    if (trip === 'hangs') {
      await new Promise(() => {})
    }
    if (trip.startsWith('lost')) {
      throw new Error(lost)
    }
  }
}

/** How a promise has ended so far. */
export function watch(promise: Promise<unknown>) {
  const seen: { ended?: unknown } = {}
  promise.then(
    (value) => Object.assign(seen, { ended: value }),
    (error) => Object.assign(seen, { ended: error }),
  )
  return seen
}

/** Waits until a promise has failed, and gives what the caller and the log are told, and after how long. */
export async function failure(promise: Promise<unknown>) {
  const start = Date.now()
  const seen = watch(promise)
  while (!('ended' in seen) && Date.now() - start < 60_000) {
    await vi.advanceTimersByTimeAsync(50)
  }
  const { ended } = seen
  if (!(ended instanceof ApiError)) {
    throw new Error(`No refusal: ${ended}`)
  }
  return {
    status: ended.status,
    detail: ended.problems[0]?.detail,
    cause: describe(ended.cause),
    ms: Date.now() - start,
  }
}

/** Every round trip takes some milliseconds. */
export function slow(milliseconds: number): Around {
  return async (_, run) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    await run()
  }
}
