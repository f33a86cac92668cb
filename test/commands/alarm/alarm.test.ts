import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestHarness, type TestHarness } from 'wrangler'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import { paths } from '../../../scripts/lib/config.ts'

/** What the worker beside this file exports, as its binding shows it. */
interface Bucket {
  take(cost: number): Promise<string>
  ring(milliseconds: number): Promise<void>
  look(): Promise<{ entries: number; alarmIn: number | undefined }>
}

const hour = 3_600_000

let harness: TestHarness

beforeAll(async () => {
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_SEND_METRICS = 'false'
  harness = createTestHarness({
    root: paths.root,
    workers: [
      {
        config: {
          name: 'alarm',
          main: `${import.meta.dirname}/worker.ts`,
          compatibility_date: compatibility.date,
          compatibility_flags: [...compatibility.flags],
          durable_objects: { bindings: [{ name: 'RATE_LIMITER', class_name: 'TokenBucket' }] },
          migrations: [{ tag: 'v1', new_sqlite_classes: ['TokenBucket'] }],
        },
      },
    ],
  })
  await harness.listen()
})

afterAll(() => harness.close())

/** An object by its name. The worker is asked each time: a stub that is held would keep the object in memory. */
function bucketOf(name: string): Bucket {
  const call = async <Result>(method: keyof Bucket, argument = 0): Promise<Result> => {
    const body = JSON.stringify([name, method, argument])
    const response = await harness.getWorker().fetch('http://alarm', { method: 'POST', body })
    return (await response.json()) as Result
  }
  return {
    take: (cost) => call('take', cost),
    ring: (milliseconds) => call('ring', milliseconds),
    look: () => call('look'),
  }
}

const evict = (name: string) => harness.getWorker().evictDurableObject('RATE_LIMITER', { name })

describe('an object in the real runtime (contract, section 10)', () => {
  test('stores a ceiling, and an alarm for an hour after its bucket is full', async () => {
    const bucket = bucketOf('used')
    await bucket.take(10)
    const { entries, alarmIn } = await bucket.look()
    expect(entries).toBe(1)
    // A ceiling has fallen after ten seconds.
    expect(alarmIn).toBeGreaterThan(hour)
    expect(alarmIn).toBeLessThanOrEqual(hour + 10_000)
  })

  test('is woken by the platform when the bucket was full for an hour, and leaves nothing behind', async () => {
    const bucket = bucketOf('left alone')
    await bucket.take(10)
    await evict('left alone')
    await bucket.ring(hour + 10_000)
    await vi.waitFor(
      async () => expect(await bucket.look()).toEqual({ entries: 0, alarmIn: undefined }),
      { timeout: 20_000, interval: 100 },
    )
    expect(await bucket.take(100)).toBe('100 50 0 0')
    expect((await bucket.look()).entries).toBe(1)
    await evict('left alone')
    expect(await bucket.take(100)).toMatch(/^100 50 \d{1,2} [1-9]\d*$/)
  })

  test('sets its alarm again when it was used since, whether it was evicted from memory or not', async () => {
    const bucket = bucketOf('used again')
    await bucket.take(10)
    await bucket.ring(hour - 2_000)
    await bucket.take(10)
    await evict('used again')
    await bucket.ring(4_000)
    await vi.waitFor(
      async () => {
        const { entries, alarmIn } = await bucket.look()
        expect(entries).toBe(1)
        expect(alarmIn).toBeGreaterThan(hour - 10_000)
      },
      { timeout: 20_000, interval: 100 },
    )
  })
})
