import { describe, expect, test } from 'vitest'
import {
  type Bucket,
  fullFromMs,
  type Limits,
  rateLimitHeaders,
  restart,
  take,
} from '../../../src/rate-limit/bucket.ts'

/** The usual size of a bucket. */
const limits: Limits = { capacity: 100, rate: 50 }

/** When a bucket of a test begins. */
const startMs = 1_800_000_000_000

/** Takes at the given times from one bucket and tells every answer. */
function takeAll(costs: readonly { cost: number; nowMs: number }[], of = limits) {
  let bucket = restart(undefined, of, startMs)
  return costs.map(({ cost, nowMs }) => {
    const taken = take(bucket, of, cost, nowMs)
    bucket = taken.bucket
    return taken
  })
}

/** The same cost several times at one instant. */
function times(count: number, cost: number, nowMs: number) {
  return Array.from({ length: count }, () => ({ cost, nowMs }))
}

function empty(of = limits): Bucket {
  return take(restart(undefined, of, startMs), of, of.capacity, startMs).bucket
}

describe('a full bucket (contract, section 10)', () => {
  test('counts exactly up to the largest int32', () => {
    const of = { capacity: 2 ** 31 - 1, rate: 2 ** 31 - 1 }
    const [first, second, third, later] = takeAll(
      [
        ...times(2, 2 ** 30, startMs),
        { cost: 2 ** 30 - 1, nowMs: startMs },
        ...times(1, 1, startMs + 1),
      ],
      of,
    )
    expect(first?.grant.remaining).toBe(2 ** 30 - 1)
    expect(second?.grant.allowed).toBe(false)
    expect(third?.grant).toMatchObject({ allowed: true, remaining: 0 })
    expect(later?.grant).toMatchObject({ allowed: true, remaining: 2_147_482 })
  })
})

describe('the headers of a verdict (contract, section 10)', () => {
  const figures = { capacity: 100, remaining: 3, rate: 50, cost: 5 }
  const integers = [
    ['X-RateLimit-Burst-Capacity', '100'],
    ['X-RateLimit-Remaining', '3'],
    ['X-RateLimit-Replenish-Rate', '50'],
    ['X-RateLimit-Requested-Tokens', '5'],
  ]

  test('are four integers', () => {
    expect(rateLimitHeaders({ ...figures, allowed: true, waitMs: 0 })).toEqual(integers)
  })

  test.each([
    [0, '1'],
    [20, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [10_000, '10'],
  ])(
    'of a refusal are Retry-After as well: a wait of %d ms in whole seconds, rounded up, at least 1',
    (waitMs, seconds) => {
      const headers = rateLimitHeaders({ ...figures, allowed: false, waitMs })
      expect(headers).toEqual([...integers, ['Retry-After', seconds]])
    },
  )
})

describe('a clock that goes back', () => {
  test('replenishes nothing until it has caught up', () => {
    const allowed = takeAll([
      { cost: 100, nowMs: startMs },
      { cost: 1, nowMs: startMs - 60_000 },
      { cost: 1, nowMs: startMs },
      { cost: 1, nowMs: startMs + 19 },
      { cost: 1, nowMs: startMs + 20 },
    ]).map(({ grant }) => grant.allowed)
    expect(allowed).toEqual([true, false, false, false, true])
  })

  test('does not stop the bucket from granting what is left', () => {
    const [, later] = takeAll([
      { cost: 99, nowMs: startMs },
      { cost: 1, nowMs: startMs - 60_000 },
    ])
    expect(later?.grant).toMatchObject({ allowed: true, remaining: 0 })
  })

  test('makes the wait longer by the time that it has gone back', () => {
    const { grant } = take(empty(), limits, 1, startMs - 500)
    expect(grant.waitMs).toBe(520)
  })
})

describe('the write-ahead ceiling (contract, section 10)', () => {
  test('is stored with the first token and then once for half a capacity', () => {
    const writes = takeAll(times(100, 1, startMs)).map(({ ceiling }) => ceiling !== undefined)
    expect(writes.flatMap((write, index) => (write ? [index + 1] : []))).toEqual([1, 52])
  })

  test('is where a restart begins', () => {
    const { ceiling } = take(restart(undefined, limits, startMs), limits, 1, startMs)
    const hold = { millitokens: 50_000, untilMs: startMs + 10_000 }
    expect(ceiling).toEqual({ owedMillitokens: 51_000, atMs: startMs, rate: 50, hold })
    const { grant } = take(restart(ceiling, limits, startMs), limits, 1, startMs)
    expect(grant).toMatchObject({ allowed: true, remaining: 48 })
  })

  test('has fallen after ten seconds, so that an object that was evicted when idle starts full', () => {
    const { ceiling } = take(restart(undefined, limits, startMs), limits, 100, startMs)
    const remaining = [3_000, 9_000, 9_980, 10_000].map((ms) => {
      const bucket = restart(ceiling, limits, startMs + ms)
      return take(bucket, limits, 1, startMs + ms).grant.remaining
    })
    expect(remaining).toEqual([49, 49, 98, 99])
  })

  test('falls, until the restart, at the rate that it was stored with', () => {
    const fast = { capacity: 100, rate: 1_000 }
    const { ceiling } = take(restart(undefined, limits, startMs), limits, 100, startMs)
    const bucket = restart(ceiling, fast, startMs + 1_020)
    expect(take(bucket, fast, 1, startMs + 1_020).grant.remaining).toBe(0)
    expect(take(bucket, fast, 1, startMs + 1_030).grant.remaining).toBe(10)
  })

  test('is stored once in ten seconds for a caller that spends less than half a burst in them', () => {
    const everySecond = Array.from({ length: 100 }, (_, n) => ({
      cost: 1,
      nowMs: startMs + n * 1_000,
    }))
    const answers = takeAll(everySecond)
    expect(answers.flatMap(({ ceiling }, n) => (ceiling ? [n] : []))).toEqual(
      Array.from({ length: 10 }, (_, n) => 10 * n),
    )
    expect(answers.every(({ grant }) => grant.remaining === 99)).toBe(true)
  })

  test('leaves half a burst to a restart within ten seconds, which then gains tokens up to that half', () => {
    const { ceiling } = take(restart(undefined, limits, startMs), limits, 1, startMs)
    let bucket = restart(ceiling, limits, startMs + 2_000)
    const remaining = [2_000, 2_000, 3_000, 8_000, 10_000].map((ms) => {
      const taken = take(bucket, limits, 25, startMs + ms)
      bucket = taken.bucket
      return taken.grant.remaining
    })
    expect(remaining).toEqual([25, 0, 25, 25, 75])
  })

  test('of a version that held nothing is where a restart begins, too', () => {
    const ceiling = { owedMillitokens: 51_000, atMs: startMs, rate: 50 }
    const bucket = restart(ceiling, limits, startMs + 500)
    expect(take(bucket, limits, 1, startMs + 500).grant.remaining).toBe(73)
  })

  test('locks nobody out for long when it was stored under a far greater capacity', () => {
    const great = { capacity: 1_000_000, rate: 100_000 }
    const small = { capacity: 10, rate: 1 }
    const { ceiling } = take(restart(undefined, great, startMs), great, 1_000_000, startMs)
    const { grant } = take(restart(ceiling, small, startMs), small, 1, startMs)
    expect(grant).toMatchObject({ allowed: false, remaining: 0, waitMs: 6_000 })
  })

  test('holds no more than half of the capacity that a restart has, and no more than was held', () => {
    const heldAfter = (millitokens: number) => {
      const hold = { millitokens, untilMs: startMs + 1_000 }
      const ceiling = { owedMillitokens: 1_000, atMs: startMs, rate: 50, hold }
      return restart(ceiling, limits, startMs).reserved.millitokens
    }
    expect([500_000, 50_000, 20_000].map(heldAfter)).toEqual([50_000, 50_000, 20_000])
  })

  test('makes no difference when everything below it is gained again and its hold is over', () => {
    const at = { atMs: startMs, rate: 50 }
    const hold = { millitokens: 50_000, untilMs: startMs + 10_000 }
    expect(fullFromMs({ ...at, owedMillitokens: 1_000_000, hold })).toBe(startMs + 20_000)
    expect(fullFromMs({ ...at, owedMillitokens: 1_000, hold })).toBe(startMs + 10_000)
    expect(fullFromMs({ ...at, owedMillitokens: 1_001 })).toBe(startMs + 21)
  })
})
