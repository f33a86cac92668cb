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
  readonly jurisdiction?: Jurisdiction
}

/** The variable that sets each number, and the one that sets the jurisdiction. */
export const variables = {
  capacity: 'RATE_LIMIT_BURST_CAPACITY',
  rate: 'RATE_LIMIT_REPLENISH_RATE',
  readCost: 'RATE_LIMIT_READ_COST',
  writeCost: 'RATE_LIMIT_WRITE_COST',
  deadlineMs: 'RATE_LIMIT_DEADLINE_MS',
  firstDeadlineMs: 'RATE_LIMIT_FIRST_DEADLINE_MS',
  jurisdiction: 'RATE_LIMIT_JURISDICTION',
} as const satisfies Record<keyof RateLimit | keyof Deadlines | 'jurisdiction', string>

/** The variables of the Worker. The default holds where one is absent. */
export type RateLimitVariables = {
  readonly [Name in (typeof variables)[keyof typeof variables]]?: string | undefined
}

/** The default numbers (contract, section 10). */
export const defaultRateLimit: RateLimit = { capacity: 100, rate: 50, readCost: 1, writeCost: 5 }

/** The default deadlines (contract, section 10). */
export const defaultDeadlines: Deadlines = { deadlineMs: 250, firstDeadlineMs: 1_000 }

/** The largest number: the headers hold int32 (contract, section 10). */
const int32Max = 2 ** 31 - 1

/** The most buckets that an isolate remembers in each of its maps. The one that was used longest ago is dropped first. */
export const mostRemembered = 10_000

/** The most seconds that an empty bucket may take to be full again, so that an idle object can be evicted at no loss. */
const longestRefillSeconds = 10

/**
 * Reads the numbers from the Worker's variables.
 *
 * @throws RangeError naming each variable at fault, what it holds and what is allowed
 */
export function rateLimitFrom(vars: RateLimitVariables): RateLimit {
  const read = (name: keyof RateLimit) => Number(vars[variables[name]] ?? defaultRateLimit[name])
  const limit: RateLimit = {
    capacity: read('capacity'),
    rate: read('rate'),
    readCost: read('readCost'),
    writeCost: read('writeCost'),
  }
  demandNumbers(vars, ['capacity', 'rate', 'readCost', 'writeCost'])
  if (limit.capacity > limit.rate * longestRefillSeconds) {
    throw new RangeError(
      `${variables.capacity} (${limit.capacity}) must be at most ${longestRefillSeconds} times ${variables.rate} (${limit.rate})`,
    )
  }
  return limit
}

/**
 * Reads from the Worker's variables how the objects are asked.
 *
 * @throws RangeError naming each variable at fault, what it holds and what is allowed
 */
export function objectRulesFrom(vars: RateLimitVariables): ObjectRules {
  const read = (name: keyof Deadlines) => Number(vars[variables[name]] ?? defaultDeadlines[name])
  const deadlines = { deadlineMs: read('deadlineMs'), firstDeadlineMs: read('firstDeadlineMs') }
  const text = vars[variables.jurisdiction]
  const jurisdiction = jurisdictions.find((name) => name === text)
  const isUnknown = text !== undefined && !jurisdiction
  demandNumbers(
    vars,
    ['deadlineMs', 'firstDeadlineMs'],
    isUnknown
      ? [
          `${variables.jurisdiction} must be absent or one of ${jurisdictions.join(', ')}, not "${text}"`,
        ]
      : [],
  )
  const { deadlineMs, firstDeadlineMs } = deadlines
  if (firstDeadlineMs < deadlineMs) {
    throw new RangeError(
      `${variables.firstDeadlineMs} (${firstDeadlineMs}) must be at least ${variables.deadlineMs} (${deadlineMs})`,
    )
  }
  return { deadlines, ...(jurisdiction && { jurisdiction }) }
}

/**
 * Judges the variables of numbers.
 *
 * @param otherProblems what is told after theirs
 * @throws RangeError naming each that is not whole or not from 1 to 2^31 - 1, where there is one or another problem
 */
function demandNumbers(
  vars: RateLimitVariables,
  names: readonly (keyof RateLimit | keyof Deadlines)[],
  otherProblems: readonly string[] = [],
): void {
  const problems = names.flatMap((name) => {
    const text = vars[variables[name]]
    return text === undefined || isCount(Number(text))
      ? []
      : [`${variables[name]} must be an integer from 1 to ${int32Max}, not "${text}"`]
  })
  const all = [...problems, ...otherProblems]
  if (all.length > 0) {
    throw new RangeError(all.join('; '))
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= int32Max
}
