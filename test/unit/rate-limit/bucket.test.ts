import { expect, test } from 'vitest'
import { fullBucket, rateLimitHeaders, take, verdictOf } from '../../../src/rate-limit/bucket.ts'

const startMs = 1_800_000_000_000
const usual = { capacity: 100, rate: 50 }
const slow = { capacity: 30, rate: 3 }
const largest = { capacity: 999_999_999, rate: 999_999_999 }

/** When a request comes, what it costs, and how long it must wait; what the bucket holds then. */
type Request = readonly [ms: number, cost: number, waitMs: number, remaining: number]

/** The whole burst at once, of the usual numbers and of the largest. */
const all: Request = [0, 100, 0, 0]
const most: Request = [0, 999_999_999, 0, 0]

test.each<[what: string, limits: typeof usual, ...requests: Request[]]>([
  ['pays its burst at once, and not a token more', usual, all, [0, 1, 20, 0]],
  ['pays no millisecond too early', usual, all, [19, 1, 1, 0], [20, 1, 0, 0]],
  ['keeps parts of a token', usual, all, [30, 1, 0, 0], [119, 5, 1, 4], [120, 5, 0, 0]],
  [
    'takes nothing for a refusal',
    slow,
    [0, 29, 0, 1],
    [0, 2, 334, 1],
    [333, 2, 1, 1],
    [334, 2, 0, 0],
  ],
  ['holds no more than its burst', usual, all, [9_999, 101, 20, 100], [9_999, 1, 0, 99]],
  ['is exact for the largest numbers', largest, most, [1, 1e6, 1, 999_999], [1, 999_999, 0, 0]],
  ['pays after its clock has gone back', usual, [0, 99, 0, 1], [-60_000, 1, 0, 0]],
  ['gains nothing twice after that', usual, all, [-9, 1, 20, 0], [0, 1, 20, 0], [20, 1, 0, 0]],
])('a token bucket %s', (_, limits, ...requests) => {
  let bucket = fullBucket(limits, startMs)
  for (const [ms, cost, waitMs, remaining] of requests) {
    const taken = take(bucket, limits, cost, startMs + ms)
    const verdict = { ...limits, allowed: waitMs === 0, cost, remaining, waitMs }
    expect(verdictOf(taken, limits, cost)).toEqual(verdict)
    bucket = taken
  }
})

test.each([
  [1, '1'],
  [1_000, '1'],
  [1_001, '2'],
  [2_400, '3'],
])('Retry-After is the wait of %d ms in whole seconds, no second too long', (waitMs, seconds) => {
  const verdict = { ...usual, allowed: false, cost: 1, remaining: 0, waitMs }
  expect(Object.fromEntries(rateLimitHeaders(verdict))['Retry-After']).toBe(seconds)
})
