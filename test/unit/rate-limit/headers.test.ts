import { expect, test } from 'vitest'
import { rateLimitHeaders } from '../../../src/rate-limit/bucket.ts'

const figures = { capacity: 100, remaining: 3, rate: 50, cost: 5 }

test('every verdict carries the four integers (contract, section 10)', () => {
  expect(rateLimitHeaders({ ...figures, allowed: true, waitMs: 0 })).toEqual([
    ['X-RateLimit-Burst-Capacity', '100'],
    ['X-RateLimit-Remaining', '3'],
    ['X-RateLimit-Replenish-Rate', '50'],
    ['X-RateLimit-Requested-Tokens', '5'],
  ])
})

test('a refusal carries Retry-After as well (contract, section 10)', () => {
  expect(rateLimitHeaders({ ...figures, allowed: false, waitMs: 1_001 })).toEqual([
    ['X-RateLimit-Burst-Capacity', '100'],
    ['X-RateLimit-Remaining', '3'],
    ['X-RateLimit-Replenish-Rate', '50'],
    ['X-RateLimit-Requested-Tokens', '5'],
    ['Retry-After', '2'],
  ])
})
