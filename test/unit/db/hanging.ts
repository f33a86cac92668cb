import { vi } from 'vitest'
import type { Around } from './d1.ts'

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

/** The end of what waits for timers, all of which are fake, and how many of their milliseconds it has waited. */
export async function ended<Value>(write: Promise<Value>) {
  const start = Date.now()
  let isPending = true
  const settled = write.finally(() => {
    isPending = false
  })
  settled.catch(() => {})
  while (isPending) {
    await vi.advanceTimersToNextTimerAsync()
  }
  const outcome = await settled.catch((error) => ({ failed: error }))
  return { outcome, waited: Date.now() - start }
}
