import { describe, expect, test } from 'vitest'
import type { Ceiling } from '../../../src/rate-limit/bucket.ts'
import { useFakeClock } from './fake-clock.ts'
import { createStorage } from './object.ts'

useFakeClock()

describe('the Durable Object of a bucket (contract, section 10)', () => {
  test('answers at once with capacity, rate, remaining tokens and milliseconds to wait', () => {
    const bucket = createStorage().begin()
    expect(bucket.take(5)).toBe('100 50 95 0')
    expect(bucket.take(96)).toBe('100 50 95 20')
  })

  test('tells a wait of 0 exactly where it allows a request', () => {
    const bucket = createStorage().start()
    const allowed = { allowed: true, capacity: 100, rate: 50, remaining: 95, waitMs: 0 }
    expect(bucket.take(5)).toStrictEqual(allowed)
    expect(bucket.take(96)).toStrictEqual({ ...allowed, allowed: false, waitMs: 20 })
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

  test('is not refilled by restarts, however many', () => {
    const storage = createStorage()
    let admitted = 0
    for (let life = 0; life < 50; life += 1) {
      const bucket = storage.start()
      while (bucket.take(1).allowed) {
        admitted += 1
      }
    }
    expect(admitted).toBe(100)
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
