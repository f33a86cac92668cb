import { expect, test, vi } from 'vitest'
import { useFakeClock } from './fake-clock.ts'

useFakeClock()

type TokenBucketClass = new (
  ctx: object,
  env: object,
) => { takeTokens(cost: number, capacity: number, rate: number): number }

// A name that vitest follows but the compiler does not: the platform's types do not mix with Node's.
const { TokenBucket }: { TokenBucket: TokenBucketClass } = await import(
  '../../../src/rate-limit/object.ts' as string
)

test('the Durable Object of a bucket keeps its tokens in memory alone, up to the new burst where another version asks with other numbers', () => {
  const bucket = new TokenBucket({}, {})
  expect(bucket.takeTokens(20, 100, 50)).toBe(80_000)
  vi.advanceTimersByTime(100)
  expect(bucket.takeTokens(90, 100, 50)).toBe(-5_000)
  expect(bucket.takeTokens(1, 50, 10)).toBe(49_000)
})
