import { networkOf } from './address.ts'
import type { Limits } from './bucket.ts'

/** The four numbers of the rate limit (contract, section 10), whole and from 1 to 2^31 - 1. */
export interface RateLimit extends Limits {
  /** Tokens for the cheapest read. */
  readonly readCost: number
  /** Tokens for the cheapest write. */
  readonly writeCost: number
}

/** Who is charged: the bearer of a valid token. */
export interface Caller {
  readonly kind: 'user' | 'client'
  readonly issuer: string
  /** The subject of a person, or the id of a client. */
  readonly id: string
}

/** The variables that set the numbers, with the number each one sets. */
const variables = {
  capacity: 'RATE_LIMIT_BURST_CAPACITY',
  rate: 'RATE_LIMIT_REPLENISH_RATE',
  readCost: 'RATE_LIMIT_READ_COST',
  writeCost: 'RATE_LIMIT_WRITE_COST',
} as const satisfies Record<keyof RateLimit, string>

/** Variables as the platform hands them over. An absent one takes its default. */
export type RateLimitVariables = {
  readonly [Name in (typeof variables)[keyof RateLimit]]?: string | undefined
}

/** The numbers where nothing else is configured (contract, section 10). */
export const defaultRateLimit: RateLimit = { capacity: 100, rate: 50, readCost: 1, writeCost: 5 }

/** The headers, and so the numbers, are int32 (specification, "Limits"). */
const int32Max = 2 ** 31 - 1

/** Seconds in which an empty bucket must be full again, so that an idle object can be evicted at no loss. */
const longestRefillSeconds = 10

/** UTF-16 units of a key that may serve as it is: 3 bytes each at most, so 480 bytes of UTF-8. */
const longestPlainKey = 160

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

/** What is wrong with the numbers, in a sentence that names the variable; `undefined` when nothing is. */
export function rateLimitProblem(limit: RateLimit): string | undefined {
  for (const name of ['capacity', 'rate', 'readCost', 'writeCost'] as const) {
    const value = limit[name]
    if (!Number.isInteger(value) || value < 1 || value > int32Max) {
      return `${variables[name]} must be an integer from 1 to ${int32Max}, not ${value}`
    }
  }
  return limit.capacity > limit.rate * longestRefillSeconds
    ? `${variables.capacity} (${limit.capacity}) must be at most ${longestRefillSeconds} times ${variables.rate} (${limit.rate})`
    : undefined
}

/**
 * The name of the bucket that pays for a request (contract, section 10): the caller's own, or its
 * network's where no token was valid. Different callers never share a name, whatever their ids hold;
 * names are shorter than 512 bytes.
 *
 * @param address `CF-Connecting-IP`; requests without a readable one share a bucket
 */
export async function bucketKey(caller: Caller | undefined, address?: string): Promise<string> {
  if (!caller) {
    return `address:${networkOf(address ?? '') ?? 'local'}`
  }
  // As JSON, a separator or a lone surrogate in an id cannot make two names one.
  const pair = JSON.stringify([caller.issuer, caller.id])
  return `${caller.kind}:${pair.length <= longestPlainKey ? pair : await sha256Hex(pair)}`
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
