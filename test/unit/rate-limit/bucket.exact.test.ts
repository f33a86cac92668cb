import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Limits, restart, take } from '../../../src/rate-limit/bucket.ts'
import { anyLimits, cost, request, startMs, tries } from './arbitraries.ts'
import { createAudit } from './world.ts'

/** What a full bucket that never restarts answers to requests, one after the other, and how it stands then. */
function* play(
  limits: Limits,
  requests: readonly { readonly pauseMs: number; readonly cost: number }[],
) {
  let bucket = restart(undefined, limits, startMs)
  let nowMs = startMs
  for (const { pauseMs, cost } of requests) {
    nowMs += pauseMs
    const taken = take(bucket, limits, cost, nowMs)
    bucket = taken.bucket
    yield { cost, nowMs, grant: taken.grant, bucket }
  }
}

describe('a bucket without a restart', () => {
  test('answers like a bucket of exact fractions, to the token and the millisecond', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(request, { minLength: 1 }), (limits, requests) => {
        const exact = createExactBucket(limits)
        for (const { cost, nowMs, grant } of play(limits, requests)) {
          expect(grant).toEqual({ ...limits, ...exact(cost, nowMs) })
        }
      }),
      tries(),
    )
  })

  test('grants what it has refused exactly when the wait is over, and not a millisecond before', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(request, { minLength: 1 }), (limits, requests) => {
        for (const { cost, nowMs, grant, bucket } of play(limits, requests)) {
          const { allowed, waitMs } = grant
          if (allowed || cost > limits.capacity) {
            continue
          }
          const at = (ms: number) => take(bucket, limits, cost, ms).grant.allowed
          expect([at(nowMs + waitMs - 1), at(nowMs + waitMs)]).toEqual([false, true])
        }
      }),
      tries(),
    )
  })

  test('admits no more than the furthest reading of a clock that jumps to and fro allows', () => {
    const jump = fc.record({ cost, jumpMs: fc.integer({ min: -5_000, max: 5_000 }) })
    fc.assert(
      fc.property(anyLimits, fc.array(jump, { minLength: 1 }), (limits, requests) => {
        const audit = createAudit(limits)
        let bucket = restart(undefined, limits, startMs)
        let nowMs = startMs
        let furthestMs = 0
        for (const next of requests) {
          nowMs += next.jumpMs
          furthestMs = Math.max(furthestMs, nowMs)
          const taken = take(bucket, limits, next.cost, nowMs)
          bucket = taken.bucket
          if (taken.grant.allowed) {
            expect(audit(next.cost, furthestMs)).toBe(true)
          }
        }
      }),
      tries(),
    )
  })
})

/** A bucket that holds its tokens as an exact fraction: BigInt, in billionths of a token. */
function createExactBucket({ capacity, rate }: Limits) {
  const token = 1_000_000_000n
  const full = BigInt(capacity) * token
  const perMs = (BigInt(rate) * token) / 1_000n
  let held = full
  let lastMs = startMs
  return (cost: number, nowMs: number) => {
    const grown = held + BigInt(nowMs - lastMs) * perMs
    held = grown < full ? grown : full
    lastMs = nowMs
    const lacking = BigInt(cost) * token - held
    const allowed = lacking <= 0n
    if (allowed) {
      held -= BigInt(cost) * token
    }
    return {
      allowed,
      remaining: Number(held / token),
      waitMs: allowed ? 0 : Number((lacking + perMs - 1n) / perMs),
    }
  }
}
