import type { RateLimiter } from '../../../src/rate-limit/client.ts'

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
