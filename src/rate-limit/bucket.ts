/*
 * A token bucket. Amounts are thousandths of a token, because one millisecond adds exactly `rate` of them: every sum is a whole
 * number, so nothing is rounded.
 */

const perToken = 1_000

/** The size of a bucket. */
export interface Limits {
  /** Tokens of a full bucket. */
  readonly capacity: number
  /** Tokens that come back every second. */
  readonly rate: number
}

/** What a bucket holds at a time. */
export interface Bucket {
  readonly millitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/** A bucket after a request has asked it for tokens. */
export interface Taken extends Bucket {
  /** Millitokens that are left. If it is below zero, that many are missing, and none was taken. */
  readonly left: number
}

/** What the limiter says of a request. */
export type LimitVerdict = Readonly<ReturnType<typeof verdictOf>>

/** A full bucket. */
export function fullBucket({ capacity }: Limits, atMs: number): Bucket {
  return { millitokens: capacity * perToken, atMs }
}

/** Adds the tokens that have come back since. A clock that goes back adds none until it has caught up. */
export function refill(bucket: Bucket, { capacity, rate }: Limits, nowMs: number): Bucket {
  const atMs = Math.max(bucket.atMs, nowMs)
  const refilled = bucket.millitokens + (atMs - bucket.atMs) * rate
  return { millitokens: Math.min(refilled, capacity * perToken), atMs }
}

/** Takes this many tokens, or none if the bucket holds fewer. */
export function take(bucket: Bucket, limits: Limits, cost: number, nowMs: number): Taken {
  const { millitokens, atMs } = refill(bucket, limits, nowMs)
  return takenOf(millitokens - cost * perToken, cost, atMs)
}

/** The bucket that has this left after a request of this price. */
export function takenOf(left: number, cost: number, atMs: number): Taken {
  return { left, millitokens: left < 0 ? left + cost * perToken : left, atMs }
}

/** The verdict on a request, from the bucket that it has asked. */
export function verdictOf(taken: Taken, { capacity, rate }: Limits, cost: number) {
  const { left, millitokens } = taken
  return {
    allowed: left >= 0,
    capacity,
    rate,
    /** The price of the request in tokens. */
    cost,
    /** Whole tokens left. */
    remaining: Math.max(0, Math.floor(millitokens / perToken)),
    /** Milliseconds until the bucket can pay. 0 if the request is allowed. */
    waitMs: Math.ceil(Math.max(0, -left) / rate),
  }
}

/** The headers of every answer that the limiter has seen: name, member of the verdict, and description. */
const counts = [
  ['X-RateLimit-Burst-Capacity', 'capacity', 'Initial and maximum number of tokens.'],
  ['X-RateLimit-Remaining', 'remaining', 'Tokens currently remaining.'],
  ['X-RateLimit-Replenish-Rate', 'rate', 'Tokens replenished per second.'],
  ['X-RateLimit-Requested-Tokens', 'cost', 'Cost of the request in tokens.'],
] as const

/** The descriptions of the X-RateLimit headers by name. */
export const rateLimitHeaderTexts: Readonly<Record<string, string>> = Object.fromEntries(
  counts.map(([name, , description]) => [name, description]),
)

/** The headers of a verdict, each with its value. A refusal also has Retry-After, in whole seconds and at least 1. */
export function rateLimitHeaders(verdict: LimitVerdict): [name: string, value: string][] {
  const headers = counts.map(([name, member]): [string, string] => [name, String(verdict[member])])
  const seconds = Math.max(1, Math.ceil(verdict.waitMs / 1_000))
  return verdict.allowed ? headers : [...headers, ['Retry-After', String(seconds)]]
}

/** The text of a refusal. */
export function refusalText({ cost, rate }: LimitVerdict): string {
  const price = cost === 1 ? '1 token' : `${cost} tokens`
  return `This request costs ${price}. The bucket holds fewer, and gains ${rate} a second.`
}
