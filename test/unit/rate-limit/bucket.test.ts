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
  test.each([
    { capacity: 1, rate: 1 },
    { capacity: 100, rate: 50 },
    { capacity: 7, rate: 3 },
    { capacity: 97, rate: 49 },
    { capacity: 1_000, rate: 333 },
  ])('grants exactly its capacity at one instant: %o', (of) => {
    const answers = takeAll(times(of.capacity + 2, 1, startMs), of)
    expect(answers.filter(({ grant }) => grant.allowed)).toHaveLength(of.capacity)
    expect(answers.slice(-2).map(({ grant }) => grant.allowed)).toEqual([false, false])
  })

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

  test('is never more than full, however long it rests', () => {
    const answers = takeAll([
      { cost: 1, nowMs: startMs },
      { cost: 1, nowMs: startMs * 2 },
    ])
    expect(answers[1]?.grant.remaining).toBe(99)
  })
})

describe('the number of remaining tokens', () => {
  test('is what is left after the deduction, in whole tokens', () => {
    const remaining = takeAll([
      { cost: 5, nowMs: startMs },
      { cost: 1, nowMs: startMs + 19 },
      { cost: 1, nowMs: startMs + 20 },
    ]).map(({ grant }) => grant.remaining)
    expect(remaining).toEqual([95, 94, 94])
  })

  test('is not changed by a refusal, which costs nothing', () => {
    const [, refused, allowed] = takeAll([
      { cost: 97, nowMs: startMs },
      { cost: 5, nowMs: startMs },
      { cost: 3, nowMs: startMs },
    ])
    expect(refused?.grant).toMatchObject({ allowed: false, remaining: 3 })
    expect(allowed?.grant).toMatchObject({ allowed: true, remaining: 0 })
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

  test('is finite for a cost above the capacity, which is never granted', () => {
    const answers = takeAll([
      { cost: 101, nowMs: startMs },
      { cost: 101, nowMs: startMs * 2 },
    ])
    const refusal: Grant = { ...limits, allowed: false, remaining: 100, waitMs: 20 }
    expect(answers.map(({ grant }) => grant)).toEqual([refusal, refusal])
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
