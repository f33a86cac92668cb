import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Ceiling } from '../../../src/rate-limit/bucket.ts'
import { runs } from '../runs.ts'
import { useFakeClock } from './fake-clock.ts'
import { createStorage } from './object.ts'
import { createAudit } from './world.ts'

useFakeClock()

describe('the Durable Object of a bucket (contract, section 10)', () => {
  test('answers at once with capacity, rate, remaining tokens and milliseconds to wait', () => {
    const bucket = createStorage().begin()
    expect(bucket.take(5)).toBe('100 50 95 0')
    expect(bucket.take(96)).toBe('100 50 95 20')
  })

  test('takes its numbers from its own variables', () => {
    const env = { RATE_LIMIT_BURST_CAPACITY: '2', RATE_LIMIT_REPLENISH_RATE: '1' }
    const bucket = createStorage().start(env)
    const allowed = [bucket.take(1), bucket.take(1), bucket.take(1)].map((grant) => grant.allowed)
    expect(allowed).toEqual([true, true, false])
  })

  test('writes twice for a whole burst, and reads once in its life', () => {
    const storage = createStorage()
    const bucket = storage.start()
    for (let count = 0; count < 150; count += 1) {
      bucket.take(1)
    }
    expect(storage.put).toHaveBeenCalledTimes(2)
    expect(storage.get).toHaveBeenCalledOnce()
  })

  test('spends nothing when the storage is no longer its own', () => {
    const storage = createStorage()
    const bucket = storage.start()
    bucket.take(1)
    const stored = storage.get('ceiling') as Ceiling
    storage.put.mockImplementation(() => {
      throw new Error('superseded')
    })
    expect(() => bucket.take(90)).toThrow('superseded')
    expect(() => bucket.take(51)).toThrow('superseded')
    expect(storage.get('ceiling')).toEqual(stored)
    expect(bucket.take(50)).toMatchObject({ allowed: true, remaining: 49 })
    expect(() => bucket.take(1)).toThrow('superseded')
  })

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined])(
    'refuses %s, which is not a cost',
    (cost) => {
      const bucket = createStorage().start()
      const message = expect.stringContaining(String(cost))
      const fault = expect.objectContaining({ name: 'RangeError', message })
      expect(() => bucket.take(cost as number)).toThrow(fault)
      expect(bucket.take(100)).toMatchObject({ allowed: true, remaining: 0 })
    },
  )

  test('does not start with numbers that the policy refuses', () => {
    const env = { RATE_LIMIT_BURST_CAPACITY: '1000' }
    expect(() => createStorage().start(env)).toThrow('RATE_LIMIT_BURST_CAPACITY (1000)')
  })
})

describe('the alarm of an object (contract, section 10: full for an hour)', () => {
  const hour = 3_600_000
  const start = 1_800_000_000_000
  /** The milliseconds after which a ceiling has fallen. */
  const full = 10_000

  test('comes an hour after the first ceiling has fallen to zero, and costs no second write', () => {
    const storage = createStorage()
    const bucket = storage.start()
    bucket.take(10)
    expect(storage.alarmMs()).toBe(start + full + hour)
    bucket.take(60)
    expect(storage.put).toHaveBeenCalledTimes(2)
    expect(storage.setAlarm).toHaveBeenCalledOnce()
  })

  test('is known after a restart, and not set again', () => {
    const storage = createStorage()
    storage.start().take(10)
    expect(storage.start().take(30).allowed).toBe(true)
    expect(storage.put).toHaveBeenCalledTimes(2)
    expect(storage.setAlarm).toHaveBeenCalledOnce()
  })

  test('deletes everything when no token was taken since, and the bucket starts full and stores again', async () => {
    const storage = createStorage()
    storage.start().take(10)
    vi.setSystemTime(start + full + hour)
    const bucket = storage.start()
    await storage.ring(bucket)
    expect(storage.values.size).toBe(0)
    expect(storage.alarmMs()).toBeUndefined()
    expect(bucket.take(100)).toMatchObject({ allowed: true, remaining: 0 })
    expect(storage.values.size).toBe(1)
    expect(storage.alarmMs()).toBe(Date.now() + full + hour)
    expect(storage.start().take(1).allowed).toBe(false)
  })

  test('comes again an hour after a token was taken since, and only then costs a write', async () => {
    const storage = createStorage()
    const bucket = storage.start()
    bucket.take(10)
    vi.setSystemTime(start + hour)
    bucket.take(10)
    vi.setSystemTime(start + full + hour)
    await storage.ring(bucket)
    expect(storage.deleteAll).not.toHaveBeenCalled()
    expect(storage.alarmMs()).toBe(start + hour + full + hour)
    expect(storage.values.size).toBe(1)
    bucket.take(100)
    expect(storage.setAlarm).toHaveBeenCalledTimes(2)
  })

  test('deletes nothing when it comes a millisecond too early', async () => {
    const storage = createStorage()
    const bucket = storage.start()
    bucket.take(10)
    vi.setSystemTime(start + full + hour - 1)
    await storage.ring(bucket)
    expect(storage.deleteAll).not.toHaveBeenCalled()
    expect(storage.alarmMs()).toBe(start + full + hour)
  })

  test('is set for the first ceiling after a deletion, also where the clock has gone back', async () => {
    const storage = createStorage()
    const bucket = storage.start()
    bucket.take(10)
    vi.setSystemTime(start + full + hour)
    await storage.ring(bucket)
    vi.setSystemTime(start + hour)
    bucket.take(10)
    expect(storage.alarmMs()).toBeGreaterThan(start + 2 * hour)
  })

  test('is set for a ceiling of a version that set none', () => {
    const storage = createStorage()
    storage.values.set('ceiling', { owedMillitokens: 60_000, atMs: start, rate: 50 })
    const bucket = storage.start()
    expect(bucket.take(30)).toMatchObject({ allowed: true, remaining: 10 })
    expect(storage.alarmMs()).toBe(start + full + hour)
  })

  test('is set anew where the last one was lost', () => {
    const storage = createStorage()
    storage.start().take(10)
    vi.setSystemTime(start + 2 * hour)
    storage.start().take(10)
    expect(storage.alarmMs()).toBe(start + 2 * hour + full + hour)
  })

  test('leaves nothing behind and admits no token too many, whatever happens around it', async () => {
    const what = fc.constantFrom('take' as const, 'take' as const, 'restart' as const)
    const event = fc.record({
      what,
      cost: fc.integer({ min: 1, max: 100 }),
      pauseMs: fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: 3 * hour })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), async (events) => {
        vi.setSystemTime(start)
        const storage = createStorage()
        const passes = createAudit({ capacity: 100, rate: 50 })
        let bucket = storage.start()
        const wake = async (untilMs: number) => {
          for (let at = storage.alarmMs(); at !== undefined && at <= untilMs; ) {
            vi.setSystemTime(at)
            await storage.ring(bucket)
            at = storage.alarmMs()
          }
          vi.setSystemTime(untilMs)
        }
        for (const { what, cost, pauseMs } of events) {
          await wake(Date.now() + pauseMs)
          if (what === 'restart') {
            bucket = storage.start()
          }
          if (bucket.take(cost).allowed) {
            expect(passes(cost, Date.now())).toBe(true)
          }
          expect(storage.values.size === 1).toBe(storage.alarmMs() !== undefined)
        }
        await wake(Date.now() + 3 * hour)
        expect(storage.values.size).toBe(0)
        expect(storage.alarmMs()).toBeUndefined()
      }),
      { numRuns: runs(1_000) },
    )
  })
})
