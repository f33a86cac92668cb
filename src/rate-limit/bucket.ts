/*
 * Token-bucket arithmetic (the generic cell rate algorithm, GCRA) with a write-ahead ceiling
 * (contract, section 10). The functions use no clock and no storage: they take a state and a time, and return a grant, the
 * new state and what to store.
 *
 * Amounts are counted in millitokens, because one millisecond replenishes exactly `rate` of them: with
 * whole tokens and whole milliseconds every sum is an integer below 2^53, and nothing is ever rounded.
 */

const millitokensPerToken = 1_000

/** The numbers of a bucket, both from 1 to 2^31 - 1 and whole. */
export interface Limits {
  /** Initial and greatest number of tokens. */
  readonly capacity: number
  /** Tokens replenished per second. */
  readonly rate: number
}

/** A bucket in memory, as it stands at one time. It never owes more than its ceiling. */
export interface Bucket {
  /** What it lacks to be full, in millitokens. It falls by `rate` a millisecond, to zero. */
  readonly owedMillitokens: number
  /** The most that it owes according to storage, in millitokens. It falls at the same rate. */
  readonly ceilingMillitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/** A ceiling as it is stored. */
export interface Ceiling {
  readonly owedMillitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Millitokens a millisecond by which it falls: a deployment may have changed the rate of the bucket since. */
  readonly rate: number
}

/** What a bucket answers. */
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
  /** Present when the new state is above the old ceiling. It must be stored before the grant is told. */
  readonly ceiling?: Ceiling
}

/**
 * The bucket of an instance that has just started. It begins at the stored ceiling, as if all that its
 * predecessor was free to spend had been spent; so a restart never refills, and a predecessor that
 * does not know yet that it was replaced can spend only what is already accounted for.
 *
 * @param ceiling the last one stored; `undefined` where nothing is stored, so that the bucket is full
 * @param nowMs whole milliseconds since the epoch
 */
export function restart(ceiling: Ceiling | undefined, limits: Limits, nowMs: number): Bucket {
  if (!ceiling) {
    return { owedMillitokens: 0, ceilingMillitokens: 0, atMs: nowMs }
  }
  const { owedMillitokens, atMs, rate } = ceiling
  const stored = { owedMillitokens, ceilingMillitokens: owedMillitokens, atMs }
  const current = replenish(stored, rate, nowMs)
  // A ceiling that was stored under a greater capacity could lock the caller out for a long time.
  const highest = (limits.capacity + leaseTokens(limits)) * millitokensPerToken
  const owed = Math.min(current.owedMillitokens, highest)
  return { ...current, owedMillitokens: owed, ceilingMillitokens: owed }
}

/**
 * Takes `cost` tokens, all or none: a refusal costs nothing. A cost above the capacity is always
 * refused, with a finite wait. A clock that goes back replenishes nothing until it has caught up.
 *
 * @param cost whole tokens, at least 1
 * @param nowMs whole milliseconds since the epoch
 */
export function take(bucket: Bucket, limits: Limits, cost: number, nowMs: number): Taken {
  const { capacity, rate } = limits
  const full = capacity * millitokensPerToken
  const current = replenish(bucket, rate, nowMs)
  const owed = current.owedMillitokens + cost * millitokensPerToken

  if (owed > full) {
    const waitMs = current.atMs - nowMs + Math.ceil((owed - full) / rate)
    const remaining = wholeTokens(full - current.owedMillitokens)
    return { grant: { allowed: false, capacity, rate, remaining, waitMs }, bucket: current }
  }

  const grant = { allowed: true, capacity, rate, remaining: wholeTokens(full - owed), waitMs: 0 }
  if (owed <= current.ceilingMillitokens) {
    return { grant, bucket: { ...current, owedMillitokens: owed } }
  }
  // The ceiling may lie above `full`: otherwise a caller at its limit would need a write for every token.
  const raised = owed + leaseTokens(limits) * millitokensPerToken
  return {
    grant,
    bucket: { ...current, owedMillitokens: owed, ceilingMillitokens: raised },
    ceiling: { owedMillitokens: raised, atMs: current.atMs, rate },
  }
}

/**
 * The time from which the bucket is full whatever was spent below the ceiling, unless a further ceiling is stored;
 * milliseconds since the epoch. From then on a bucket that restarts at the ceiling is as full as one that restarts without.
 */
export function fullFromMs({ owedMillitokens, atMs, rate }: Ceiling): number {
  return atMs + Math.ceil(owedMillitokens / rate)
}

/** The bucket as it stands at `nowMs`, or at the latest time it has seen. */
function replenish(bucket: Bucket, rate: number, nowMs: number): Bucket {
  const atMs = Math.max(bucket.atMs, nowMs)
  const replenished = (atMs - bucket.atMs) * rate
  return {
    owedMillitokens: Math.max(0, bucket.owedMillitokens - replenished),
    ceilingMillitokens: Math.max(0, bucket.ceilingMillitokens - replenished),
    atMs,
  }
}

/**
 * Seconds for `Retry-After`: ceil((cost - tokens) / rate), at least 1 (contract, section 10).
 *
 * @param waitMs milliseconds until the cost could pass
 */
export function retryAfterSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000))
}

/** How far the ceiling is raised at a time: half the capacity, so two writes last a full bucket. */
function leaseTokens({ capacity }: Limits): number {
  return Math.ceil(capacity / 2)
}

function wholeTokens(millitokens: number): number {
  return Math.max(0, Math.floor(millitokens / millitokensPerToken))
}
