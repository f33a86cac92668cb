import fc from 'fast-check'
import type { Limits } from '../../../src/rate-limit/bucket.ts'
import { runs } from '../runs.ts'

export const startMs = 1_800_000_000_000

/** How often the properties of a bucket are tried. */
export const tries = () => ({ numRuns: runs(3_000) })

/** Any bucket the policy admits, small enough to be emptied often. */
export const anyLimits: fc.Arbitrary<Limits> = fc
  .integer({ min: 1, max: 60 })
  .chain((rate) =>
    fc.record({ rate: fc.constant(rate), capacity: fc.integer({ min: 1, max: 10 * rate }) }),
  )
  .filter(({ capacity }) => capacity <= 120)

export const pauseMs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
)

export const cost = fc.oneof(
  { weight: 4, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 130 }) },
)

export const request = fc.record({ pauseMs, cost })
