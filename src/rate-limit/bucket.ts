/*
 * All that is peculiar to a token bucket: its arithmetic, what an isolate concludes from an answer, and how callers are told. The
 * arithmetic is the generic cell rate algorithm (GCRA) with a write-ahead ceiling (contract, section 10). The functions use no clock
 * and no storage: they take a state and a time, and return a grant, the new state and what to store. docs/limiter.md proves that no
 * more than burst + rate * time is admitted, and that no rule stores less.
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

/** Capacity, rate, remaining tokens and wait, as whole numbers that a double holds exactly. */
const grantFormat = /^(\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15})$/

/**
 * Writes a grant as the text that the object sends to the Worker. The platform copies a text in a fifth of the time of an object
 * with the same members. A wait of 0 means that the cost was granted.
 */
export function writeGrant({ capacity, rate, remaining, waitMs }: Grant): string {
  return `${capacity} ${rate} ${remaining} ${waitMs}`
}

/**
 * Reads the answer of an object. It is checked, because the object may run another version of the service.
 *
 * @throws Error when it is not a grant
 */
export function readGrant(answer: unknown): Grant {
  const match = typeof answer === 'string' ? grantFormat.exec(answer) : null
  if (!match) {
    throw new Error('The rate limiter gave an answer that is not a grant')
  }
  const [, capacity, rate, remaining, wait] = match
  const waitMs = Number(wait)
  return {
    allowed: waitMs === 0,
    capacity: Number(capacity),
    rate: Number(rate),
    remaining: Number(remaining),
    waitMs,
  }
}

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
    millitokens: allowed
      ? remaining * millitokensPerToken
      : cost * millitokensPerToken - waitMs * rate,
    askedMs,
  }
}

/** The most whole tokens in the bucket at `nowMs`: as many as if none had been taken since. */
export function tokensAt(fill: Fill, nowMs: number): number {
  return Math.floor(millitokensAt(fill, nowMs) / millitokensPerToken)
}

/**
 * The refusal that asking for `cost` tokens is certain to meet, because a bucket fills with time alone. Undefined where the
 * object must be asked.
 *
 * @param fill the fill after a refusal
 */
export function refusalFrom(fill: Fill, cost: number, nowMs: number): Grant | undefined {
  const { capacity, rate, askedMs } = fill
  const missing = cost * millitokensPerToken - millitokensAt(fill, nowMs)
  if (nowMs < askedMs || missing <= 0) {
    return undefined
  }
  const remaining = Math.max(0, tokensAt(fill, nowMs))
  return { allowed: false, capacity, rate, remaining, waitMs: Math.ceil(missing / rate) }
}

function millitokensAt({ capacity, rate, millitokens, askedMs }: Fill, nowMs: number): number {
  return Math.min(capacity * millitokensPerToken, millitokens + Math.max(0, nowMs - askedMs) * rate)
}

/** The verdict of the limiter on a request: a grant, and the tokens that the request costs. */
export interface LimitVerdict extends Grant {
  readonly cost: number
  /** True where the isolate has refused the request from memory, and has asked no object. */
  readonly isRemembered?: true
}

/** The integer headers (int32) of every answer that went through the limiter: what each tells of the verdict, and its description. */
const countHeaders = [
  ['X-RateLimit-Burst-Capacity', 'capacity', 'Initial and maximum number of tokens.'],
  ['X-RateLimit-Remaining', 'remaining', 'Tokens currently remaining.'],
  ['X-RateLimit-Replenish-Rate', 'rate', 'Tokens replenished per second.'],
  ['X-RateLimit-Requested-Tokens', 'cost', 'Cost of the request in tokens.'],
] as const

/** The descriptions of these headers by their names (contract, section 10). */
export const rateLimitHeaderTexts: Readonly<Record<string, string>> = Object.fromEntries(
  countHeaders.map(([name, , description]) => [name, description]),
)

/**
 * The headers of a verdict, each with its name and value: the four of every answer, and `Retry-After` for a refusal, which is
 * ceil((cost - tokens) / rate), at least 1 (contract, section 10).
 */
export function rateLimitHeaders(
  verdict: LimitVerdict,
): (readonly [name: string, value: string])[] {
  const { allowed, waitMs } = verdict
  const headers: ReturnType<typeof rateLimitHeaders> = countHeaders.map(([name, member]) => [
    name,
    String(verdict[member]),
  ])
  if (!allowed) {
    headers.push(['Retry-After', String(Math.max(1, Math.ceil(waitMs / 1_000)))])
  }
  return headers
}

/** What a refused caller is told. */
export function refusalText({ cost, rate }: LimitVerdict): string {
  const price = cost === 1 ? '1 token' : `${cost} tokens`
  return `This request costs ${price}. The bucket holds fewer, and gains ${rate} a second.`
}
