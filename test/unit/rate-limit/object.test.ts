import { describe, expect, test, vi } from 'vitest'
import { useFakeClock } from './fake-clock.ts'

useFakeClock()

type TokenBucketClass = new (
  ctx: object,
  env: object,
) => { take(cost: number, limits: object): object; alarm(): Promise<void> }

// A name that vitest follows but the compiler does not: the platform's types do not mix with Node's.
const { TokenBucket }: { TokenBucket: TokenBucketClass } = await import(
  '../../../src/rate-limit/object.ts' as string
)

const limits = { capacity: 100, rate: 50 }

describe('the Durable Object of a bucket', () => {
  test('keeps its tokens in memory alone, up to the new burst where another version asks with other numbers', () => {
    const bucket = new TokenBucket({}, {})
    expect(bucket.take(20, limits)).toMatchObject({ allowed: true, millitokens: 80_000 })
    vi.advanceTimersByTime(100)
    expect(bucket.take(90, limits)).toMatchObject({ allowed: false, millitokens: 85_000 })
    expect(bucket.take(1, { capacity: 50, rate: 10 })).toMatchObject({ millitokens: 49_000 })
  })

  test('deletes what an earlier version has stored when the alarm of that version comes', async () => {
    const deleteAll = vi.fn(async () => {})
    const bucket = new TokenBucket({ storage: { deleteAll } }, {})
    bucket.take(60, limits)
    await bucket.alarm()
    expect(deleteAll).toHaveBeenCalledOnce()
    expect(bucket.take(60, limits)).toMatchObject({ allowed: false })
  })
})
