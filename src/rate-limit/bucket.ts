/*
 * Token-bucket arithmetic (the generic cell rate algorithm, GCRA) with a write-ahead ceiling
 * (contract, section 10). The functions use no clock and no storage: they take a state and a time, and return a grant, the
 * new state and what to store. docs/limiter.md proves that no more than burst + rate * time is admitted, and that no rule
 * stores less.
 *
 * Amounts are counted in millitokens, because one millisecond replenishes exactly `rate` of them: with
 * whole tokens and whole milliseconds every sum is an integer below 2^53, so that nothing is rounded.
 */

const millitokensPerToken = 1_000

/** The numbers of a bucket, both whole and from 1 to 2^31 - 1. */
export interface Limits {
  /** Initial and greatest number of tokens. */
  readonly capacity: number
  /** Tokens replenished per second. */
  readonly rate: number
}

/** Millitokens that stay spoken for over some time. At the end of it they fall by the rate, so that none are left then. */
interface Hold {
  readonly millitokens: number
  /** Milliseconds since the epoch. */
  readonly untilMs: number
}

/**
 * A ceiling as it is stored: what a bucket may lack at most until another one is stored. It is `owedMillitokens` at first and
 * falls, but not below its hold.
 */
export interface Ceiling {
  readonly owedMillitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** The millitokens by which it falls in a millisecond. A deployment may have changed the rate of the bucket since. */
  readonly rate: number
  /** Absent in data of versions whose ceilings held nothing. */
  readonly hold?: Hold
}

/** A bucket in memory, as it stands at one time. */
export interface Bucket {
  /** The millitokens that it lacks to be full. They fall by `rate` a millisecond, down to what is reserved. */
  readonly owedMillitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** What the instance before this one may still spend: the hold of the ceiling that this one began at. */
  readonly reserved: Hold
  /** The last ceiling that this instance has stored; `undefined` before the first. */
  readonly ceiling: Ceiling | undefined
  /** The millitokens that it may still spend under that ceiling. Time adds none, and takes them away when the ceiling falls. */
  readonly aheadMillitokens: number
}

/** The answer of a bucket. */
export interface Grant extends Limits {
  readonly allowed: boolean
  /** Whole tokens left: after the deduction, or untouched by a refusal. */
  readonly remaining: number
  /** Milliseconds until the same cost could pass; 0 when it passed. */
  readonly waitMs: number
}

/** The outcome of one {@link take}. */
export interface Taken {
  readonly grant: Grant
  readonly bucket: Bucket
  /** Present when the old ceiling does not cover the cost. It must be stored before the grant is sent. */
  readonly ceiling?: Ceiling
}

/** The milliseconds after its storing in which a ceiling keeps its hold: an idle object stays in memory for as long. */
const holdMs = 10_000

const nothingHeld: Hold = { millitokens: 0, untilMs: 0 }

/**
 * The bucket of an instance that has just started. It begins at the stored ceiling, as if its predecessor had spent everything
 * that it was free to spend, and leaves it what it holds. So a restart never refills a bucket, and a predecessor that does not
 * know yet that it was replaced can spend only what is already accounted for.
 *
 * @param ceiling the last stored ceiling; `undefined` where none is stored, so that the bucket is full
 * @param nowMs whole milliseconds since the epoch
 */
export function restart(ceiling: Ceiling | undefined, limits: Limits, nowMs: number): Bucket {
  const own = { ceiling: undefined, aheadMillitokens: 0 }
  if (!ceiling) {
    return { owedMillitokens: 0, atMs: nowMs, reserved: nothingHeld, ...own }
  }
  const atMs = Math.max(nowMs, ceiling.atMs)
  // A ceiling that was stored under a greater capacity could lock the caller out for a long time.
  const highest = (limits.capacity + leaseTokens(limits)) * millitokensPerToken
  const { millitokens, untilMs } = ceiling.hold ?? nothingHeld
  return {
    owedMillitokens: Math.min(ceilingAt(ceiling, atMs), highest),
    atMs,
    reserved: {
      millitokens: Math.min(millitokens, heldTokens(limits) * millitokensPerToken),
      untilMs: Math.min(untilMs, atMs + holdMs),
    },
    ...own,
  }
}

/**
 * Takes `cost` tokens or none: a refusal costs nothing. A cost above the capacity is always refused, with a finite wait. After
 * the clock has gone back, nothing is replenished until it has caught up.
 *
 * @param cost whole tokens, at least 1
 * @param nowMs whole milliseconds since the epoch
 */
export function take(bucket: Bucket, limits: Limits, cost: number, nowMs: number): Taken {
  const { capacity, rate } = limits
  const full = capacity * millitokensPerToken
  const spent = cost * millitokensPerToken
  const current = replenish(bucket, rate, nowMs)
  const { atMs } = current
  const owed = current.owedMillitokens + spent

  if (owed > full) {
    const remaining = wholeTokens(full - current.owedMillitokens)
    const waitMs = atMs - nowMs + Math.ceil((owed - full) / rate)
    return { grant: { allowed: false, capacity, rate, remaining, waitMs }, bucket: current }
  }

  const grant = { allowed: true, capacity, rate, remaining: wholeTokens(full - owed), waitMs: 0 }
  if (spent <= current.aheadMillitokens) {
    const aheadMillitokens = current.aheadMillitokens - spent
    return { grant, bucket: { ...current, owedMillitokens: owed, aheadMillitokens } }
  }
  const lease = leaseTokens(limits) * millitokensPerToken
  const hold = {
    millitokens: heldTokens(limits) * millitokensPerToken,
    untilMs: atMs + holdMs,
  }
  // The ceiling may lie above `full`: otherwise a caller at its limit would need a write for every token.
  const ceiling = { owedMillitokens: owed + lease, atMs, rate, hold }
  return {
    grant,
    bucket: { ...current, owedMillitokens: owed, ceiling, aheadMillitokens: lease },
    ceiling,
  }
}

/**
 * The time, in milliseconds since the epoch, from which the bucket is full no matter what was spent below the ceiling, unless a
 * higher ceiling is stored. From then on the ceiling makes no difference to a restart.
 */
export function fullFromMs({ owedMillitokens, atMs, rate, hold = nothingHeld }: Ceiling): number {
  return Math.max(atMs + Math.ceil(owedMillitokens / rate), hold.untilMs)
}

/** The bucket at `nowMs`, or at the latest time that it has seen. */
function replenish(bucket: Bucket, rate: number, nowMs: number): Bucket {
  const { reserved, ceiling } = bucket
  const atMs = Math.max(bucket.atMs, nowMs)
  const kept = heldAt(reserved, rate, atMs)
  const owed = bucket.owedMillitokens - (atMs - bucket.atMs) * rate
  const most = ceiling ? ceilingAt(ceiling, atMs) - kept : 0
  return {
    ...bucket,
    owedMillitokens: Math.max(owed, kept),
    atMs,
    aheadMillitokens: Math.min(bucket.aheadMillitokens, most),
  }
}

/** The most that a bucket may lack by this ceiling at a time, in millitokens. */
function ceilingAt({ owedMillitokens, atMs, rate, hold = nothingHeld }: Ceiling, nowMs: number) {
  return Math.max(owedMillitokens - (nowMs - atMs) * rate, heldAt(hold, rate, nowMs))
}

/** What is left of a hold at a time, in millitokens. */
function heldAt({ millitokens, untilMs }: Hold, rate: number, nowMs: number): number {
  return Math.max(0, Math.min(millitokens, (untilMs - nowMs) * rate))
}

/**
 * Seconds for `Retry-After`: ceil((cost - tokens) / rate), at least 1 (contract, section 10).
 *
 * @param waitMs milliseconds until the cost could pass
 */
export function retryAfterSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000))
}

/** The tokens that may be spent under one ceiling: half the capacity, so that a full bucket takes two writes to spend. */
function leaseTokens({ capacity }: Limits): number {
  return Math.ceil(capacity / 2)
}

/** The tokens that a ceiling holds: half the capacity at most, so that a restart leaves the other half. */
function heldTokens({ capacity }: Limits): number {
  return Math.floor(capacity / 2)
}

function wholeTokens(millitokens: number): number {
  return Math.max(0, Math.floor(millitokens / millitokensPerToken))
}
