import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Limits, restart, take } from '../../../src/rate-limit/bucket.ts'
import { runs } from '../runs.ts'
import { simulate } from './simulate.ts'
import { createAudit, createWorld } from './world.ts'

const startMs = 1_800_000_000_000

/** How often the properties of a bucket are tried. */
const tries = () => ({ numRuns: runs(3_000) })

/** Any bucket the policy admits, small enough to be emptied often. */
const anyLimits: fc.Arbitrary<Limits> = fc
  .integer({ min: 1, max: 60 })
  .chain((rate) =>
    fc.record({ rate: fc.constant(rate), capacity: fc.integer({ min: 1, max: 10 * rate }) }),
  )
  .filter(({ capacity }) => capacity <= 120)

const pauseMs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
)

const cost = fc.oneof(
  { weight: 4, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 130 }) },
)

const request = fc.record({ pauseMs, cost })

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

const schedule = fc.array(
  fc.record({
    pauseMs,
    cost,
    isRestarted: fc.boolean(),
    repeat: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 1, maxLength: 40 },
)

describe('a bucket under any schedule of requests, evictions, restarts, alarms and replaced instances (contract, section 10)', () => {
  test('is stored at most once for half a capacity spent or replenished, and once a start', () => {
    fc.assert(
      fc.property(anyLimits, schedule, (limits, events) => {
        const world = createWorld(limits)
        let nowMs = startMs
        for (const { isRestarted, repeat, ...next } of events) {
          nowMs += next.pauseMs
          if (isRestarted) {
            world.restart(nowMs)
          }
          for (let again = 0; again < repeat; again += 1) {
            world.ask(0, next.cost, nowMs)
          }
        }
        const replenished = ((nowMs - startMs) / 1_000) * limits.rate
        const { tokens, writes, crashes } = world.tally
        expect(writes).toBeLessThanOrEqual(
          1 + crashes + (tokens + replenished) / (limits.capacity / 2),
        )
      }),
      tries(),
    )
  })

  test('is stored at most once for half a capacity spent and once in five seconds, where it stays in memory', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(request, { minLength: 1 }), (limits, requests) => {
        const world = createWorld(limits)
        let nowMs = startMs
        for (const next of requests) {
          nowMs += next.pauseMs
          world.ask(0, next.cost, nowMs)
        }
        const { tokens, writes } = world.tally
        expect(writes).toBeLessThanOrEqual(
          1 + tokens / (limits.capacity / 2) + (nowMs - startMs) / 5_000,
        )
      }),
      tries(),
    )
  })

  test('never holds more after a restart than before it, and is full again twenty seconds later', () => {
    fc.assert(
      fc.property(
        anyLimits,
        fc.array(request, { minLength: 1 }),
        pauseMs,
        (limits, requests, rest) => {
          let bucket = restart(undefined, limits, startMs)
          let stored: Parameters<typeof restart>[0]
          let nowMs = startMs
          for (const next of requests) {
            nowMs += next.pauseMs
            const taken = take(bucket, limits, next.cost, nowMs)
            bucket = taken.bucket
            stored = taken.ceiling ?? stored
          }
          const living = take(bucket, limits, 1, nowMs + rest).grant
          const restarted = take(
            restart(stored, limits, nowMs + rest),
            limits,
            1,
            nowMs + rest,
          ).grant
          expect(restarted.remaining).toBeLessThanOrEqual(living.remaining)
          expect(living.allowed || !restarted.allowed).toBe(true)
          const laterMs = nowMs + 20_000
          expect(take(restart(stored, limits, laterMs), limits, 1, laterMs).grant).toEqual(
            take(bucket, limits, 1, laterMs).grant,
          )
        },
      ),
      tries(),
    )
  })

  test('admits no more than the greater of both numbers when a deployment changes them', () => {
    fc.assert(
      fc.property(anyLimits, anyLimits, fc.array(request), fc.array(request), (old, next, a, b) => {
        const audit = createAudit({
          capacity: Math.max(old.capacity, next.capacity),
          rate: Math.max(old.rate, next.rate),
        })
        let nowMs = startMs
        let stored: Parameters<typeof restart>[0]
        for (const [limits, requests] of [
          [old, a],
          [next, b],
        ] as const) {
          let bucket = restart(stored, limits, nowMs)
          for (const request of requests) {
            nowMs += request.pauseMs
            const taken = take(bucket, limits, request.cost, nowMs)
            bucket = taken.bucket
            stored = taken.ceiling ?? stored
            if (taken.grant.allowed) {
              expect(audit(request.cost, nowMs)).toBe(true)
            }
          }
        }
      }),
      tries(),
    )
  })

  test('never admits more than burst + rate * time in a million simulated requests, many of them to replaced instances and into crashes', () => {
    const seen = simulate({ requests: 1_000_000 })
    expect(seen).toMatchObject({ requests: 1_000_000, overAdmitted: 0 })
    const { admitted, crashes, admittedByZombies, writes, deletions } = seen
    for (const count of [admitted, crashes, admittedByZombies, writes, deletions]) {
      expect(count).toBeGreaterThan(100)
    }
  })
})
