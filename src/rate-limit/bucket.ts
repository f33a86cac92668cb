/*
 * Token-bucket arithmetic (the generic cell rate algorithm, GCRA) with a write-ahead ceiling
 * (contract, section 10). The functions use no clock and no storage: they take a state and a time, and return a grant, the
 * new state and what to store.
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

/** A bucket in memory, as it stands at one time. It never owes more than its ceiling. */
export interface Bucket {
  /** The millitokens that it lacks to be full. They fall by `rate` a millisecond, down to zero. */
  readonly owedMillitokens: number
  /** The most millitokens that it may lack according to storage. They fall at the same rate. */
  readonly ceilingMillitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/** A ceiling as it is stored. */
export interface Ceiling {
  readonly owedMillitokens: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** The millitokens by which it falls in a millisecond. A deployment may have changed the rate of the bucket since. */
  readonly rate: number
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
  /** Present when the new state is above the old ceiling. It must be stored before the grant is sent. */
  readonly ceiling?: Ceiling
}

/**
 * The bucket of an instance that has just started. It begins at the stored ceiling, as if its predecessor had spent everything
 * that it was free to spend. So a restart never refills a bucket, and a predecessor that does not know yet that it was
 * replaced can spend only what is already accounted for.
 *
 * @param ceiling the last stored ceiling; `undefined` where none is stored, so that the bucket is full
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
 * Takes `cost` tokens or none: a refusal costs nothing. A cost above the capacity is always refused, with a finite wait. After
 * the clock has gone back, nothing is replenished until it has caught up.
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
 * The time, in milliseconds since the epoch, from which the bucket is full no matter what was spent below the ceiling, unless a
 * higher ceiling is stored. From then on the ceiling makes no difference to a restart.
 */
export function fullFromMs({ owedMillitokens, atMs, rate }: Ceiling): number {
  return atMs + Math.ceil(owedMillitokens / rate)
}

/** The bucket at `nowMs`, or at the latest time that it has seen. */
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

/** The tokens by which the ceiling is raised at a time: half the capacity, so that a full bucket takes two writes to spend. */
function leaseTokens({ capacity }: Limits): number {
  return Math.ceil(capacity / 2)
}

function wholeTokens(millitokens: number): number {
  return Math.max(0, Math.floor(millitokens / millitokensPerToken))
}
