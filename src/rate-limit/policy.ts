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
 * @throws RangeError naming the variable at fault, what it holds and what is allowed
 */
export function rateLimitFrom(vars: RateLimitVariables): RateLimit {
  const read = (name: keyof RateLimit) => Number(vars[variables[name]] ?? defaultRateLimit[name])
  const limit: RateLimit = {
    capacity: read('capacity'),
    rate: read('rate'),
    readCost: read('readCost'),
    writeCost: read('writeCost'),
  }
  const problem = rateLimitProblem(limit)
  if (problem) {
    throw new RangeError(problem)
  }
  return limit
}

/** The problem with the numbers, as a sentence that names the variable; `undefined` when there is none. */
export function rateLimitProblem(limit: RateLimit): string | undefined {
  const problem = numberProblem(limit, ['capacity', 'rate', 'readCost', 'writeCost'])
  if (problem) {
    return problem
  }
  return limit.capacity > limit.rate * longestRefillSeconds
    ? `${variables.capacity} (${limit.capacity}) must be at most ${longestRefillSeconds} times ${variables.rate} (${limit.rate})`
    : undefined
}

/**
 * Reads from the Worker's variables how the objects are asked.
 *
 * @throws RangeError naming the variable at fault, what it holds and what is allowed
 */
export function objectRulesFrom(vars: RateLimitVariables): ObjectRules {
  const read = (name: keyof Deadlines) => Number(vars[variables[name]] ?? defaultDeadlines[name])
  const deadlines = { deadlineMs: read('deadlineMs'), firstDeadlineMs: read('firstDeadlineMs') }
  const problem = deadlineProblem(deadlines)
  if (problem) {
    throw new RangeError(problem)
  }
  const text = vars[variables.jurisdiction]
  if (text === undefined) {
    return { deadlines }
  }
  const jurisdiction = jurisdictions.find((name) => name === text)
  if (!jurisdiction) {
    const allowed = jurisdictions.join(', ')
    throw new RangeError(
      `${variables.jurisdiction} must be absent or one of ${allowed}, not "${text}"`,
    )
  }
  return { deadlines, jurisdiction }
}

/** The problem with the deadlines, as a sentence that names the variable; `undefined` when there is none. */
function deadlineProblem(deadlines: Deadlines): string | undefined {
  const problem = numberProblem(deadlines, ['deadlineMs', 'firstDeadlineMs'])
  if (problem) {
    return problem
  }
  const { deadlineMs, firstDeadlineMs } = deadlines
  return firstDeadlineMs < deadlineMs
    ? `${variables.firstDeadlineMs} (${firstDeadlineMs}) must be at least ${variables.deadlineMs} (${deadlineMs})`
    : undefined
}

/**
 * The problem with the first number that is not whole or not from 1 to 2^31 - 1, as a sentence; `undefined` when there is none.
 */
function numberProblem<Name extends keyof RateLimit | keyof Deadlines>(
  numbers: Readonly<Record<Name, number>>,
  names: readonly Name[],
): string | undefined {
  const name = names.find((each) => !isCount(numbers[each]))
  return name === undefined
    ? undefined
    : `${variables[name]} must be an integer from 1 to ${int32Max}, not ${numbers[name]}`
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= int32Max
}
