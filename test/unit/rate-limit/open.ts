import { createRateLimiter, type RateLimiter } from '../../../src/rate-limit/client.ts'
import type { BucketNames } from '../../../src/rate-limit/name.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'

/** A limiter that lets everything pass. */
export const openLimiter: RateLimiter = {
  recall: () => undefined,
  ask: (_, cost) => ({
    mayStart: true,
    verdict: Promise.resolve({
      capacity: 100,
      rate: 50,
      allowed: true,
      remaining: 99,
      waitMs: 0,
      cost,
    }),
  }),
}

/** The limiter of an isolate whose object lets everything pass, after what `before` waits for. */
export function limiterAdmitting(before: () => Promise<unknown>): RateLimiter {
  return createRateLimiter({
    async ask() {
      await before()
      return { allowed: true, millitokens: 99_000 }
    },
    limit: rateLimitFrom({}),
    onDegraded: (error) => {
      throw error
    },
  })
}

/** The names of buckets, where any name will do. */
export const oneBucket: BucketNames = {
  ofCaller: async () => 'bucket',
  ofAddress: async () => 'bucket',
}
