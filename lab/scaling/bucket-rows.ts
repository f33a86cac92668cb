import { type Bucket, restart, take } from '../../src/rate-limit/bucket.ts'
import { defaultRateLimit } from '../../src/rate-limit/policy.ts'

/** How a caller sends requests. */
export interface Rhythm {
  /** Seconds from one request to the next, or from one group of requests to the next. */
  readonly seconds: number
  /** Requests in a group; one if absent. */
  readonly atOnce?: number
}

/** Rows that an object writes for a request, in the long run. */
interface Rows {
  /** With ceilings that hold nothing and only fall, as the service had them before. */
  readonly before: number
  readonly now: number
  /** The least that any rule can do with (docs/limiter.md). */
  readonly least: number
}

/** Seconds without a request after which the platform takes an object out of memory. */
const idleSeconds = 10

/** Groups of requests that are counted. */
const groups = 10_200

/**
 * The rows that the bucket of a caller writes, by the arithmetic that the object itself uses.
 *
 * @param tokens the cost of each request
 */
export function bucketRows(tokens: number, rhythm: Rhythm): Rows {
  return {
    before: rowsOf(tokens, rhythm, false),
    now: rowsOf(tokens, rhythm, true),
    least: leastRows(tokens, rhythm),
  }
}

function rowsOf(tokens: number, { seconds, atOnce = 1 }: Rhythm, holds: boolean): number {
  let bucket = restart(undefined, defaultRateLimit, 0)
  let rows = 0
  for (let group = 0; group < groups; group++) {
    const nowMs = Math.round(group * seconds * 1_000)
    if (group > 0 && seconds >= idleSeconds) {
      bucket = restart(bucket.ceiling, defaultRateLimit, nowMs)
    }
    for (let request = 0; request < atOnce; request++) {
      const taken = take(bucket, defaultRateLimit, tokens, nowMs)
      rows += taken.ceiling ? 1 : 0
      bucket = holds ? taken.bucket : withoutHold(taken.bucket)
    }
  }
  return rows / groups / atOnce
}

function withoutHold(bucket: Bucket): Bucket {
  return bucket.ceiling ? { ...bucket, ceiling: { ...bucket.ceiling, hold: nothing } } : bucket
}

const nothing = { millitokens: 0, untilMs: 0 }

/** A row at each start, for the first request and half a burst after it, and one in ten seconds. */
function leastRows(tokens: number, { seconds, atOnce = 1 }: Rhythm): number {
  const requests = 1 + Math.floor(defaultRateLimit.capacity / 2 / tokens)
  const groupsOfRow = Math.ceil(idleSeconds / seconds)
  return seconds >= idleSeconds || atOnce * groupsOfRow < requests
    ? Math.ceil(atOnce / requests) / atOnce / (seconds >= idleSeconds ? 1 : groupsOfRow)
    : 1 / requests
}
