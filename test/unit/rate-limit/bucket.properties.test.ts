import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Bucket,
  fullBucket,
  type Limits,
  rateLimitHeaders,
  take,
  verdictOf,
} from '../../../src/rate-limit/bucket.ts'

const startMs = 1_800_000_000_000

/** Buckets that the configuration allows, small enough to be emptied often, and one of the largest. */
const anyLimits: fc.Arbitrary<Limits> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .integer({ min: 1, max: 60 })
      .chain((rate) =>
        fc.record({ rate: fc.constant(rate), capacity: fc.integer({ min: 1, max: 10 * rate }) }),
      ),
  },
  { weight: 1, arbitrary: fc.constant({ rate: 999_999_999, capacity: 999_999_999 }) },
)

/** Milliseconds between two requests. */
const pause = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
)

const cost = fc.oneof(
  { weight: 4, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 700 }) },
)

const requests = fc.array(fc.record({ pauseMs: pause, cost }), { minLength: 1, maxLength: 100 })

/** What a bucket answers to requests, one after the other, from a full one on. */
function* play(
  limits: Limits,
  sent: readonly { readonly pauseMs: number; readonly cost: number }[],
) {
  let bucket: Bucket = fullBucket(limits, startMs)
  let nowMs = startMs
  for (const { pauseMs, cost } of sent) {
    nowMs += pauseMs
    const taken = take(bucket, limits, cost, nowMs)
    yield { cost, nowMs, verdict: verdictOf(taken, limits, cost) }
    bucket = taken
  }
}

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

describe('a token bucket', () => {
  test('answers like one of exact fractions, to the token and the millisecond', () => {
    fc.assert(
      fc.property(anyLimits, requests, (limits, sent) => {
        const exact = createExactBucket(limits)
        const played = [...play(limits, sent)]
        expect(played.map(({ verdict }) => verdict)).toEqual(
          played.map(({ cost, nowMs }) => ({ ...limits, cost, ...exact(cost, nowMs) })),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  test('pays from what it has after the clock has gone back, and gets nothing twice when it comes again', () => {
    const limits = { capacity: 100, rate: 50 }
    const ask = (bucket: Bucket, cost: number, ms: number) =>
      take(bucket, limits, cost, startMs + ms)
    const first = ask(fullBucket(limits, startMs), 99, 0)
    const back = ask(first, 1, -60_000)
    expect([first.allowed, back.allowed]).toEqual([true, true])
    const again = ask(back, 1, 0)
    expect([again.allowed, ask(again, 2, 20).allowed, ask(again, 1, 20).allowed]).toEqual([
      false,
      false,
      true,
    ])
  })
})

test.each([
  [1, '1'],
  [1_000, '1'],
  [1_001, '2'],
  [2_400, '3'],
])('Retry-After is the wait of %d ms in whole seconds, no second too long', (waitMs, seconds) => {
  const limits = { capacity: 100, rate: 50 }
  const headers = rateLimitHeaders({ ...limits, allowed: false, cost: 1, remaining: 0, waitMs })
  expect(headers['Retry-After']).toBe(seconds)
})
