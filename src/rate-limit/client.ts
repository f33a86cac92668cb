import { type Ask, askInTime, isMarked } from './ask.ts'
import { type Bucket, type Grant, type Limits, restart, retryAfterSeconds, take } from './bucket.ts'
import type { Deadlines } from './policy.ts'
import { remember } from './remember.ts'

/** What becomes of a request: the figures of the four headers, and when to try again. */
export type Verdict = Limits & {
  /** Whole tokens left, after the deduction. */
  readonly remaining: number
  /** Tokens the request costs. */
  readonly cost: number
} & (
    | { readonly allowed: true }
    | {
        readonly allowed: false
        /** Seconds, at least 1. */
        readonly retryAfter: number
      }
  )

/**
 * Asks at once whether a request of `cost` tokens may take them from the bucket named `key`.
 *
 * @returns waits for the verdict, however often; it never rejects on a fault of the limiter
 */
export type RateLimiter = (key: string, cost: number) => () => Promise<Verdict>

/** What a limiter needs. */
export interface RateLimiterOptions {
  readonly ask: Ask
  readonly deadlines: Deadlines
  /** The numbers of the isolate's own buckets, for when the objects cannot be asked. */
  readonly limits: Limits
  /** Told of a fault of the limiter, at most once in {@link quietMs}: outages have many witnesses. */
  readonly onDegraded: (error: unknown) => void
  /** Milliseconds since the epoch; `Date.now` where none is given. */
  readonly clock?: () => number
}

/** A refusal that holds while the clock is between the two times (milliseconds since the epoch). */
interface Refusal {
  readonly grant: Grant
  readonly askedMs: number
  readonly dueMs: number
}

/** What an object is asked, when (milliseconds since the epoch), and what a refusal is remembered under. */
interface Question {
  readonly key: string
  readonly cost: number
  readonly name: string
  readonly askedMs: number
}

/** Milliseconds between two reports of a degraded limiter, per isolate. */
export const quietMs = 10_000

/** The limiter of one isolate, in front of the objects that hold the buckets (contract, section 10). */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { limits, onDegraded, clock = () => Date.now() } = options
  const { capacity, rate } = limits
  const refusals = new Map<string, Refusal>()
  const buckets = new Map<string, Bucket>()
  const ask = askInTime(options.ask, options.deadlines, clock)
  let reportedMs = Number.NEGATIVE_INFINITY

  /** The bucket of this isolate alone: what stands between an outage of the limiter and no limit at all. */
  function takeHere(key: string, cost: number): Grant {
    const nowMs = clock()
    const known = buckets.get(key) ?? restart(undefined, limits, nowMs)
    const { bucket, grant } = take(known, limits, cost, nowMs)
    remember(buckets, key, bucket)
    return grant
  }

  function report(error: unknown): void {
    const nowMs = clock()
    if (nowMs - reportedMs < quietMs) {
      return
    }
    reportedMs = nowMs
    onDegraded(error)
  }

  async function judge(
    { key, cost, name, askedMs }: Question,
    answer: Promise<Grant>,
  ): Promise<Verdict> {
    try {
      const grant = await answer
      if (grant.allowed) {
        refusals.delete(name)
      }
      // Counted from the question, not the answer: the way back must not prolong the wait.
      else {
        remember(refusals, name, { grant, askedMs, dueMs: askedMs + grant.waitMs })
      }
      return verdictOf(grant, cost)
    } catch (error) {
      if (isMarked(error, 'overloaded')) {
        return { capacity, rate, remaining: 0, cost, allowed: false, retryAfter: 1 }
      }
      report(error)
      return verdictOf(takeHere(key, cost), cost)
    }
  }

  return (key, cost) => {
    const askedMs = clock()
    // By cost too: where 5 tokens are refused, 1 may pass.
    const name = `${cost} ${key}`
    const refusal = refusals.get(name)
    if (refusal && refusal.askedMs <= askedMs && askedMs < refusal.dueMs) {
      const verdict = verdictOf(age(refusal, askedMs), cost)
      return async () => verdict
    }
    const answer = ask(key, cost)
    let verdict: Promise<Verdict> | undefined
    return () => {
      verdict ??= judge({ key, cost, name, askedMs }, answer())
      return verdict
    }
  }
}

/** A refusal as the object would tell it at `nowMs`, had nobody else taken from the bucket. */
function age({ grant, askedMs, dueMs }: Refusal, nowMs: number): Grant {
  const replenished = Math.floor(((nowMs - askedMs) * grant.rate) / 1_000)
  const remaining = Math.min(grant.capacity, grant.remaining + replenished)
  return { ...grant, remaining, waitMs: dueMs - nowMs }
}

function verdictOf(grant: Grant, cost: number): Verdict {
  const { capacity, rate, remaining } = grant
  const figures = { capacity, rate, remaining, cost }
  return grant.allowed
    ? { ...figures, allowed: true }
    : { ...figures, allowed: false, retryAfter: retryAfterSeconds(grant.waitMs) }
}
