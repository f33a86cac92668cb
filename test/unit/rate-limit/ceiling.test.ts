import { describe, expect, test } from 'vitest'
import { type Bucket, fullFromMs, restart, take } from '../../../src/rate-limit/bucket.ts'
import { limits, startMs, takeAll, times } from './takes.ts'

describe('the write-ahead ceiling (contract, section 10)', () => {
  test('is stored with the first token and then once for half a capacity', () => {
    const writes = takeAll(times(100, 1, startMs)).map(({ ceiling }) => ceiling !== undefined)
    expect(writes.flatMap((write, index) => (write ? [index + 1] : []))).toEqual([1, 52])
  })

  test('is stored for half a capacity even while the caller is at its limit', () => {
    const atTheLimit = Array.from({ length: 1_000 }, (_, index) => ({
      cost: 1,
      nowMs: startMs + (index + 1) * 20,
    }))
    const answers = takeAll([{ cost: 100, nowMs: startMs }, ...atTheLimit])
    expect(answers.every(({ grant }) => grant.allowed)).toBe(true)
    expect(answers.filter(({ ceiling }) => ceiling).length).toBeLessThanOrEqual(1 + 1_000 / 50)
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

  test('admits what a replaced instance may still spend and what its successor holds, together a burst', () => {
    const first = take(restart(undefined, limits, startMs), limits, 1, startMs)
    const laterMs = startMs + 5_000
    const spend = (from: Bucket): number => {
      let bucket = from
      let spent = 0
      for (;;) {
        const { grant, ceiling, bucket: after } = take(bucket, limits, 1, laterMs)
        // A replaced instance cannot store any more.
        if (!grant.allowed || (ceiling && bucket.ceiling === first.ceiling)) {
          return spent
        }
        spent += 1
        bucket = after
      }
    }
    const replaced = spend(first.bucket)
    const successor = spend(restart(first.ceiling, limits, laterMs))
    expect([replaced, successor]).toEqual([50, 50])
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
