import type { Grant, Limits } from './bucket.ts'

/** How full a bucket was when its object last answered, which is all that an isolate knows of it. */
export interface Fill extends Limits {
  /** The thousandths of a token in the bucket; negative where it lacks more than its capacity. */
  readonly millitokens: number
  /** When the object was asked, in milliseconds since the epoch. The time of its answer would prolong a wait. */
  readonly askedMs: number
}

/**
 * How full the bucket is by a grant.
 *
 * @param cost the tokens that were asked for
 */
export function fillOf(grant: Grant, cost: number, askedMs: number): Fill {
  const { allowed, capacity, rate, remaining, waitMs } = grant
  return {
    capacity,
    rate,
    // A refusal tells exactly when the cost can be paid, while `remaining` counts whole tokens only.
    millitokens: allowed ? remaining * 1_000 : cost * 1_000 - waitMs * rate,
    askedMs,
  }
}

/** The most whole tokens in the bucket at `nowMs`: as many as if none had been taken since. */
export function tokensAt(fill: Fill, nowMs: number): number {
  return Math.floor(millitokensAt(fill, nowMs) / 1_000)
}

/**
 * The refusal that asking for `cost` tokens is certain to meet, because a bucket fills with time alone. Undefined where the
 * object must be asked.
 *
 * @param fill the fill after a refusal
 */
export function refusalFrom(fill: Fill, cost: number, nowMs: number): Grant | undefined {
  const { capacity, rate, askedMs } = fill
  const missing = cost * 1_000 - millitokensAt(fill, nowMs)
  if (nowMs < askedMs || missing <= 0) {
    return undefined
  }
  const remaining = Math.max(0, tokensAt(fill, nowMs))
  return { allowed: false, capacity, rate, remaining, waitMs: Math.ceil(missing / rate) }
}

function millitokensAt({ capacity, rate, millitokens, askedMs }: Fill, nowMs: number): number {
  return Math.min(capacity * 1_000, millitokens + Math.max(0, nowMs - askedMs) * rate)
}
