import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Bucket,
  fillOf,
  refusalFrom,
  restart,
  take,
  tokensAt,
} from '../../../src/rate-limit/bucket.ts'

const limits = fc
  .record({
    rate: fc.integer({ min: 1, max: 1_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ rate, share }) => ({
    rate,
    capacity: 1 + Math.floor(share * Math.min(199, 10 * rate - 1)),
  }))

/** Requests of one bucket: pauses in milliseconds, and costs as shares of the capacity. */
const requests = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 200 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 60 },
)

describe('what an isolate remembers of a bucket (contract, section 10)', () => {
  it('never leads to a refusal of what the bucket would have granted, nor to a wait that is more than a millisecond longer', () => {
    fc.assert(
      fc.property(limits, requests, (limits, requests) => {
        let nowMs = 1_800_000_000_000
        let bucket: Bucket = restart(undefined, limits, nowMs)
        let fill: ReturnType<typeof fillOf> | undefined
        for (const { pauseMs, share } of requests) {
          nowMs += pauseMs
          const cost = 1 + Math.floor(share * (limits.capacity - 1))
          const { grant, bucket: after } = take(bucket, limits, cost, nowMs)
          const recalled = fill && refusalFrom(fill, cost, nowMs)
          if (recalled) {
            // One millisecond: a wait is told in whole ones.
            const later = take(bucket, limits, cost, nowMs + 1).grant
            expect(grant.allowed && later.allowed && recalled.waitMs > 1).toBe(false)
            expect(recalled.waitMs).toBeLessThanOrEqual(Math.max(1, grant.waitMs + 1))
            continue
          }
          bucket = after
          if (!grant.allowed) {
            fill = fillOf(grant, cost, nowMs)
          }
        }
      }),
    )
  })

  it('is the tokens that the last grant has left and time has added since, up to the burst', () => {
    const grant = { capacity: 100, rate: 50, allowed: true, remaining: 7, waitMs: 0 }
    const fill = fillOf(grant, 5, 1_000)
    expect(tokensAt(fill, 1_000)).toBe(7)
    expect(tokensAt(fill, 1_019)).toBe(7)
    expect(tokensAt(fill, 1_020)).toBe(8)
    expect(tokensAt(fill, 60_000)).toBe(100)
    expect(tokensAt(fill, 0)).toBe(7)
  })
})
