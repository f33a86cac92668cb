import * as z from 'zod/mini'
import { oneOf, readVariables, text } from '../lib/variables.ts'
import type { Limits } from './bucket.ts'

/** The four numbers of the rate limit (contract, section 10), all of them whole and from 1 to 2^31 - 1. */
export interface RateLimit extends Limits {
  /** The tokens that the cheapest read costs. */
  readonly readCost: number
  /** The tokens that the cheapest write costs. */
  readonly writeCost: number
}

/** The milliseconds that a request waits for its bucket, including a retry (contract, section 10). */
export interface Deadlines {
  readonly deadlineMs: number
  /** The same for an isolate's first contact with an object. */
  readonly firstDeadlineMs: number
}

/** The jurisdictions of Durable Objects. */
const jurisdictions = ['eu', 'fedramp', 'fedramp-high', 'us'] as const

/** A jurisdiction of Durable Objects. Objects of a jurisdiction run and store data there alone. */
export type Jurisdiction = (typeof jurisdictions)[number]

/** How the objects that hold the buckets are asked. */
export interface ObjectRules {
  readonly deadlines: Deadlines
  /** The jurisdiction of the objects; they may be anywhere if absent. */
  readonly jurisdiction?: Jurisdiction | undefined
}

/** The default numbers (contract, section 10). */
export const defaultRateLimit: RateLimit = { capacity: 100, rate: 50, readCost: 1, writeCost: 5 }

/** The default deadlines (contract, section 10). */
export const defaultDeadlines: Deadlines = { deadlineMs: 250, firstDeadlineMs: 1_000 }

/** The largest number: the headers hold int32 (contract, section 10). */
const int32Max = 2 ** 31 - 1

/** The most seconds that an empty bucket may take to be full again, so that an idle object can be evicted at no loss. */
const longestRefillSeconds = 10

const count = z.optional(
  text(`must be an integer from 1 to ${int32Max}`, (value) => {
    const number = Number(value)
    return Number.isInteger(number) && number >= 1 && number <= int32Max
  }),
)

const numbers = z.object({
  RATE_LIMIT_BURST_CAPACITY: count,
  RATE_LIMIT_REPLENISH_RATE: count,
  RATE_LIMIT_READ_COST: count,
  RATE_LIMIT_WRITE_COST: count,
})

const rules = z.object({
  RATE_LIMIT_DEADLINE_MS: count,
  RATE_LIMIT_FIRST_DEADLINE_MS: count,
  RATE_LIMIT_JURISDICTION: z.optional(
    oneOf(`must be absent or one of ${jurisdictions.join(', ')}`, jurisdictions),
  ),
})

/** The names of the variables that are read here. */
export const rateLimitVariables = [...Object.keys(numbers.shape), ...Object.keys(rules.shape)]

/**
 * Reads the numbers from the Worker's variables.
 *
 * @throws Error naming each variable at fault, what it holds and what is allowed
 */
export function rateLimitFrom(env: object): RateLimit {
  const vars = readVariables(numbers, env)
  const capacity = Number(vars.RATE_LIMIT_BURST_CAPACITY ?? defaultRateLimit.capacity)
  const rate = Number(vars.RATE_LIMIT_REPLENISH_RATE ?? defaultRateLimit.rate)
  if (capacity > rate * longestRefillSeconds) {
    throw new Error(
      `RATE_LIMIT_BURST_CAPACITY (${capacity}) must be at most ${longestRefillSeconds} times RATE_LIMIT_REPLENISH_RATE (${rate})`,
    )
  }
  const readCost = Number(vars.RATE_LIMIT_READ_COST ?? defaultRateLimit.readCost)
  if (readCost > capacity) {
    throw new Error(
      `RATE_LIMIT_READ_COST (${readCost}) must be at most RATE_LIMIT_BURST_CAPACITY (${capacity})`,
    )
  }
  const writeCost = Number(vars.RATE_LIMIT_WRITE_COST ?? defaultRateLimit.writeCost)
  return { capacity, rate, readCost, writeCost }
}

/**
 * Reads from the Worker's variables how the objects are asked.
 *
 * @throws Error naming each variable at fault, what it holds and what is allowed
 */
export function objectRulesFrom(env: object): ObjectRules {
  const vars = readVariables(rules, env)
  const deadlineMs = Number(vars.RATE_LIMIT_DEADLINE_MS ?? defaultDeadlines.deadlineMs)
  const firstDeadlineMs = Number(
    vars.RATE_LIMIT_FIRST_DEADLINE_MS ?? defaultDeadlines.firstDeadlineMs,
  )
  if (firstDeadlineMs < deadlineMs) {
    throw new Error(
      `RATE_LIMIT_FIRST_DEADLINE_MS (${firstDeadlineMs}) must be at least RATE_LIMIT_DEADLINE_MS (${deadlineMs})`,
    )
  }
  return { deadlines: { deadlineMs, firstDeadlineMs }, jurisdiction: vars.RATE_LIMIT_JURISDICTION }
}
