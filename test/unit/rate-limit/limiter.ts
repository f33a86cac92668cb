import { vi } from 'vitest'
import { type Grant, writeGrant } from '../../../src/rate-limit/bucket.ts'
import {
  type Ask,
  createRateLimiter,
  type RateLimiterOptions,
} from '../../../src/rate-limit/client.ts'
import { defaultDeadlines as deadlines } from '../../../src/rate-limit/policy.ts'

/** The numbers of the limiters under test. */
export const limits = { capacity: 100, rate: 50 }

/** A grant that no bucket of the isolate would give. */
const granted: Grant = { ...limits, allowed: true, remaining: 42, waitMs: 0 }

/** A refusal for a second and a half. */
const refused: Grant = { ...limits, allowed: false, remaining: 0, waitMs: 1_500 }

/** A limiter whose object answers, in turn, what is given; the last answer for good. */
export function limiterOf(...answers: readonly (() => unknown)[]) {
  const asked: string[] = []
  const ask: Ask = async (key, cost) => {
    asked.push(`${cost} ${key}`)
    return answers[Math.min(asked.length, answers.length) - 1]?.()
  }
  return { asked, ...limiterAsking(ask) }
}

/**
 * A limiter that asks in the given way; `onDegraded` is a spy. `limiter` waits for the verdict at once, `begin` when
 * it is told to; `rateLimiter` is the limiter itself.
 */
export function limiterAsking(ask: Ask, options: Partial<RateLimiterOptions> = {}) {
  const onDegraded = vi.fn<(error: unknown) => void>()
  const rateLimiter = createRateLimiter({ ask, deadlines, limits, onDegraded, ...options })
  const begin = (key: string, cost: number) => rateLimiter.ask(key, cost).verdict
  return {
    onDegraded,
    rateLimiter,
    begin,
    limiter: (key: string, cost: number) => begin(key, cost)(),
  }
}

/** An object that throws an error with marks as the platform sets them. */
export function failing(marks: { retryable?: boolean; overloaded?: boolean } = {}) {
  return () => {
    throw Object.assign(new Error('the object failed'), marks)
  }
}

/** An object that grants, but for the given members. */
export const answering = (grant: Partial<Grant>) => () => writeGrant({ ...granted, ...grant })

/** An object that refuses. */
export const refusing = () => writeGrant(refused)

/** An object that does not answer. */
export const never = () => new Promise<never>(() => {})
