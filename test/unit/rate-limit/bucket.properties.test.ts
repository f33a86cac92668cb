import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { restart, take } from '../../../src/rate-limit/bucket.ts'
import { anyLimits, cost, pauseMs, request, startMs, tries } from './arbitraries.ts'
import { simulate } from './simulate.ts'
import { createAudit, createWorld } from './world.ts'

const schedule = fc.array(
  fc.record({
    pauseMs,
    cost,
    isRestarted: fc.boolean(),
    repeat: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 1, maxLength: 40 },
)

describe('a bucket under any schedule of requests, evictions, restarts, alarms and replaced instances (contract, section 10)', () => {
  test('is stored at most once for half a capacity spent or replenished, and once a start', () => {
    fc.assert(
      fc.property(anyLimits, schedule, (limits, events) => {
        const world = createWorld(limits)
        let nowMs = startMs
        for (const { isRestarted, repeat, ...next } of events) {
          nowMs += next.pauseMs
          if (isRestarted) {
            world.restart(nowMs)
          }
          for (let again = 0; again < repeat; again += 1) {
            world.ask(0, next.cost, nowMs)
          }
        }
        const replenished = ((nowMs - startMs) / 1_000) * limits.rate
        const { tokens, writes, crashes } = world.tally
        expect(writes).toBeLessThanOrEqual(
          1 + crashes + (tokens + replenished) / (limits.capacity / 2),
        )
      }),
      tries(),
    )
  })

  test('is stored at most once for half a capacity spent and once in five seconds, where it stays in memory', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(request, { minLength: 1 }), (limits, requests) => {
        const world = createWorld(limits)
        let nowMs = startMs
        for (const next of requests) {
          nowMs += next.pauseMs
          world.ask(0, next.cost, nowMs)
        }
        const { tokens, writes } = world.tally
        expect(writes).toBeLessThanOrEqual(
          1 + tokens / (limits.capacity / 2) + (nowMs - startMs) / 5_000,
        )
      }),
      tries(),
    )
  })

  test('never holds more after a restart than before it, and is full again twenty seconds later', () => {
    fc.assert(
      fc.property(
        anyLimits,
        fc.array(request, { minLength: 1 }),
        pauseMs,
        (limits, requests, rest) => {
          let bucket = restart(undefined, limits, startMs)
          let stored: Parameters<typeof restart>[0]
          let nowMs = startMs
          for (const next of requests) {
            nowMs += next.pauseMs
            const taken = take(bucket, limits, next.cost, nowMs)
            bucket = taken.bucket
            stored = taken.ceiling ?? stored
          }
          const living = take(bucket, limits, 1, nowMs + rest).grant
          const restarted = take(
            restart(stored, limits, nowMs + rest),
            limits,
            1,
            nowMs + rest,
          ).grant
          expect(restarted.remaining).toBeLessThanOrEqual(living.remaining)
          expect(living.allowed || !restarted.allowed).toBe(true)
          const laterMs = nowMs + 20_000
          expect(take(restart(stored, limits, laterMs), limits, 1, laterMs).grant).toEqual(
            take(bucket, limits, 1, laterMs).grant,
          )
        },
      ),
      tries(),
    )
  })

  test('admits no more than the greater of both numbers when a deployment changes them', () => {
    fc.assert(
      fc.property(anyLimits, anyLimits, fc.array(request), fc.array(request), (old, next, a, b) => {
        const audit = createAudit({
          capacity: Math.max(old.capacity, next.capacity),
          rate: Math.max(old.rate, next.rate),
        })
        let nowMs = startMs
        let stored: Parameters<typeof restart>[0]
        for (const [limits, requests] of [
          [old, a],
          [next, b],
        ] as const) {
          let bucket = restart(stored, limits, nowMs)
          for (const request of requests) {
            nowMs += request.pauseMs
            const taken = take(bucket, limits, request.cost, nowMs)
            bucket = taken.bucket
            stored = taken.ceiling ?? stored
            if (taken.grant.allowed) {
              expect(audit(request.cost, nowMs)).toBe(true)
            }
          }
        }
      }),
      tries(),
    )
  })

  test('never admits more than burst + rate * time in a million simulated requests, many of them to replaced instances and into crashes', () => {
    const seen = simulate({ requests: 1_000_000 })
    expect(seen).toMatchObject({ requests: 1_000_000, overAdmitted: 0 })
    const { admitted, crashes, admittedByZombies, writes, deletions } = seen
    for (const count of [admitted, crashes, admittedByZombies, writes, deletions]) {
      expect(count).toBeGreaterThan(100)
    }
  })
})
