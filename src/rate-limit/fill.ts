import type { Grant, Limits } from './bucket.ts'

/** What an isolate knows of a bucket in an object: how full it was when the object last answered. */
export interface Fill extends Limits {
  /** Thousandths of a token; below zero after a refusal of more than there was. */
  readonly millitokens: number
  /** When the object was asked, in milliseconds since the epoch: the way back must not prolong a wait. */
  readonly askedMs: number
}

/**
 * What a grant tells of the bucket.
 *
 * @param cost tokens that were asked for
 */
export function fillOf(grant: Grant, cost: number, askedMs: number): Fill {
  const { allowed, capacity, rate, remaining, waitMs } = grant
  return {
    capacity,
    rate,
    // A refusal tells exactly when the cost can be paid; a grant tells whole tokens only.
    millitokens: allowed ? remaining * 1_000 : cost * 1_000 - waitMs * rate,
    askedMs,
  }
}

/** Whole tokens in the bucket at `nowMs`, at most, had nobody taken any since. */
export function tokensAt(fill: Fill, nowMs: number): number {
  return Math.floor(millitokensAt(fill, nowMs) / 1_000)
}

/**
 * The refusal that asking for `cost` tokens would meet with certainty: nothing but time adds to a bucket. Undefined where
 * the object must be asked.
 *
 * @param fill what a refusal has told
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
