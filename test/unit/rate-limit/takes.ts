import { type Limits, restart, take } from '../../../src/rate-limit/bucket.ts'

/** The usual size of a bucket. */
export const limits: Limits = { capacity: 100, rate: 50 }

/** When a bucket of a test begins. */
export const startMs = 1_800_000_000_000

/** Takes at the given times from one bucket and tells every answer. */
export function takeAll(costs: readonly { cost: number; nowMs: number }[], of = limits) {
  let bucket = restart(undefined, of, startMs)
  return costs.map(({ cost, nowMs }) => {
    const taken = take(bucket, of, cost, nowMs)
    bucket = taken.bucket
    return taken
  })
}

/** The same cost several times at one instant. */
export function times(count: number, cost: number, nowMs: number) {
  return Array.from({ length: count }, () => ({ cost, nowMs }))
}
