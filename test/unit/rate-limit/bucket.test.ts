import { describe, expect, test } from 'vitest'
import {
  type Bucket,
  type Grant,
  type Limits,
  rateLimitHeaders,
  restart,
  take,
} from '../../../src/rate-limit/bucket.ts'
import { limits, startMs, takeAll, times } from './takes.ts'

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

describe('Retry-After (contract, section 10: ceil((cost - tokens) / rate), at least 1)', () => {
  const slow: Limits = { capacity: 10, rate: 1 }
  const retryAfter = (grant: Grant) =>
    Number(new Map(rateLimitHeaders({ ...grant, cost: 1 })).get('Retry-After'))
  test.each([
    { cost: 1, seconds: 1 },
    { cost: 2, seconds: 2 },
    { cost: 10, seconds: 10 },
  ])(
    'is $seconds for a cost of $cost from an empty bucket that gains 1 a second',
    ({ cost, seconds }) => {
      const { grant } = take(empty(slow), slow, cost, startMs)
      expect(retryAfter(grant)).toBe(seconds)
    },
  )

  test('is rounded up to a whole second', () => {
    const { grant } = take(empty(slow), slow, 3, startMs + 1_999)
    expect(grant.waitMs).toBe(1_001)
    expect(retryAfter(grant)).toBe(2)
  })

  test('is at least 1', () => {
    const { grant } = take(empty(), limits, 1, startMs)
    expect(grant.waitMs).toBe(20)
    expect(retryAfter(grant)).toBe(1)
    expect(retryAfter({ ...grant, waitMs: 0 })).toBe(1)
  })
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
