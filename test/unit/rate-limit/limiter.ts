import { vi } from 'vitest'
import { type Ask, createRateLimiter } from '../../../src/rate-limit/client.ts'

/** The limits of the limiters under test. */
const limit = { capacity: 100, rate: 50, deadlineMs: 500 }

/** A limiter that asks in the given way. */
export function limiterAsking(ask: Ask) {
  const onDegraded = vi.fn<(error: unknown) => void>()
  const limiter = createRateLimiter({ ask, limit, onDegraded })
  return {
    limiter,
    onDegraded,
    verdict: (key: string, cost: number) => limiter.ask(key, cost).verdict,
  }
}

/** A limiter whose object answers, in turn, what is given; the last answer for good. */
export function limiterOf(...answers: readonly (() => unknown)[]) {
  const asked: string[] = []
  const made = limiterAsking(async (key, cost) => {
    asked.push(`${cost} ${key}`)
    return answers[Math.min(asked.length, answers.length) - 1]?.()
  })
  return { asked, ...made }
}

/** An object that allows, and has these tokens left. */
export const allowing = (tokens: number) => () => ({ allowed: true, millitokens: tokens * 1_000 })

/** An object that refuses, and has these tokens. */
export const refusing = (tokens: number) => () => ({ allowed: false, millitokens: tokens * 1_000 })

/** An object that throws an error with marks as the platform sets them. */
export function failing(marks: { overloaded?: boolean; retryable?: boolean } = {}) {
  return () => {
    throw Object.assign(new Error('the object failed'), marks)
  }
}

/** An object that answers after some time. */
export const after = (milliseconds: number, answer: () => unknown) => () =>
  new Promise((resolve, reject) => {
    setTimeout(() => Promise.try(answer).then(resolve, reject), milliseconds)
  })

/** An object that does not answer. */
export const never = () => new Promise<never>(() => {})
