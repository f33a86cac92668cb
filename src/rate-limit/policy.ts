import * as z from 'zod/mini'
import { count, oneOf } from '../lib/variables.ts'

/** The jurisdictions of Durable Objects. */
const jurisdictions = ['eu', 'fedramp', 'fedramp-high', 'us'] as const

/** A jurisdiction of Durable Objects. Its objects run only there. */
export type Jurisdiction = (typeof jurisdictions)[number]

/** The configuration of the limiter. */
export type RateLimit = Readonly<ReturnType<typeof rateLimitFrom>>

/**
 * An object is [removed from memory](https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/) after this many
 * idle seconds. Its bucket must be full by then.
 */
const idleSeconds = 10

/** The limiter's variables. */
export const rateLimitVariables = z.object({
  RATE_LIMIT_BURST_CAPACITY: count,
  RATE_LIMIT_REPLENISH_RATE: count,
  RATE_LIMIT_READ_COST: count,
  RATE_LIMIT_WRITE_COST: count,
  RATE_LIMIT_DEADLINE_MS: count,
  RATE_LIMIT_JURISDICTION: oneOf(jurisdictions),
})

/**
 * The limiter's configuration, from its variables.
 *
 * @throws Error that names a variable that does not fit to another one
 */
export function rateLimitFrom(vars: z.output<typeof rateLimitVariables>) {
  const limit = {
    /** Tokens of a full bucket. */
    capacity: Number(vars.RATE_LIMIT_BURST_CAPACITY ?? 100),
    /** Tokens that come back every second. */
    rate: Number(vars.RATE_LIMIT_REPLENISH_RATE ?? 50),
    /** Tokens that the cheapest read costs. */
    readCost: Number(vars.RATE_LIMIT_READ_COST ?? 1),
    /** Tokens that the cheapest write costs. */
    writeCost: Number(vars.RATE_LIMIT_WRITE_COST ?? 5),
    /** Milliseconds that a request waits for its bucket. */
    deadlineMs: Number(vars.RATE_LIMIT_DEADLINE_MS ?? 500),
    /** Where the objects must stay. Anywhere if absent. */
    jurisdiction: vars.RATE_LIMIT_JURISDICTION,
  }
  if (limit.capacity > idleSeconds * limit.rate) {
    throw new Error(
      `RATE_LIMIT_BURST_CAPACITY must be at most ${idleSeconds} times RATE_LIMIT_REPLENISH_RATE`,
    )
  }
  if (limit.readCost > limit.capacity) {
    throw new Error('RATE_LIMIT_READ_COST must be at most RATE_LIMIT_BURST_CAPACITY')
  }
  return limit
}
