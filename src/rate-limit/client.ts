import { putBounded } from '../lib/bounded-map.ts'
import { type Ask, askInTime, isMarked } from './ask.ts'
import { type Bucket, type Grant, type Limits, restart, retryAfterSeconds, take } from './bucket.ts'
import { type Fill, fillOf, refusalFrom, tokensAt } from './fill.ts'
import { type Deadlines, mostRemembered } from './policy.ts'

/** The verdict of the limiter on a request: the numbers of the four headers, and after a refusal when to try again. */
export type LimitVerdict = Limits & {
  /** Whole tokens left, after the deduction. */
  readonly remaining: number
  /** The tokens that the request costs. */
  readonly cost: number
  /** True where the isolate has refused the request from memory, and has asked no object. */
  readonly isRemembered?: true
} & (
    | { readonly allowed: true }
    | {
        readonly allowed: false
        /** Seconds, at least 1. */
        readonly retryAfter: number
      }
  )

/** A request that has asked its bucket for tokens. */
interface Admission {
  /**
   * May work begin before the verdict has come? It may while the prices of the caller's requests under way fit into the tokens
   * that its bucket was last known to hold, or into the burst where nothing is known (contract, section 10).
   */
  readonly mayStart: boolean
  /** Waits for the verdict. It can be called repeatedly, and does not reject when the limiter fails. */
  readonly verdict: () => Promise<LimitVerdict>
}

/** The limiter of one isolate. `key` names a bucket. */
export interface RateLimiter {
  /** The remembered refusal that still holds for this cost; undefined where the bucket must be asked. */
  recall(key: string, cost: number): LimitVerdict | undefined
  /** Asks a bucket for tokens at once, unless a remembered refusal holds. */
  ask(key: string, cost: number): Admission
}

/** What a limiter needs. */
export interface RateLimiterOptions {
  readonly ask: Ask
  readonly deadlines: Deadlines
  /** The numbers of the isolate's own buckets, which serve while the objects cannot be asked. */
  readonly limits: Limits
  /** Is called with a fault of the limiter, at most once in {@link quietMs}, because an outage meets many requests. */
  readonly onDegraded: (error: unknown) => void
  /** Milliseconds since the epoch; `Date.now` where none is given. */
  readonly clock?: () => number
}

/** The least milliseconds between two reports of a degraded limiter in an isolate. */
export const quietMs = 10_000

/** The milliseconds for which a caller is refused when its object is overloaded, because another question would add to the load. */
const overloadedMs = 1_000

/** Makes the limiter of one isolate, which asks the objects that hold the buckets (contract, section 10). */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { limits, onDegraded, clock = () => Date.now() } = options
  const { capacity, rate } = limits
  const fills = new Map<string, Fill>()
  /** Remembered refusals. They have a map of their own, so that grants of other callers do not displace them. */
  const refusals = new Map<string, Fill>()
  const buckets = new Map<string, Bucket>()
  /** The tokens that requests have asked each bucket for without an answer yet, and when the last request asked. */
  const underWay = new Map<string, { readonly tokens: number; readonly atMs: number }>()
  const ask = askInTime(options.ask, options.deadlines, clock)
  let reportedMs = Number.NEGATIVE_INFINITY

  /** Takes tokens from the isolate's own bucket, which limits callers during an outage of the objects. */
  function takeHere(key: string, cost: number): Grant {
    const nowMs = clock()
    const known = buckets.get(key) ?? restart(undefined, limits, nowMs)
    const { bucket, grant } = take(known, limits, cost, nowMs)
    putBounded(buckets, key, bucket, mostRemembered)
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

  function recall(key: string, cost: number): LimitVerdict | undefined {
    const fill = refusals.get(key)
    const refusal = fill && refusalFrom(fill, cost, clock())
    return refusal && { ...verdictOf(refusal, cost), isRemembered: true }
  }

  /** Remembers how full a bucket is by a grant, and a refusal until tokens are granted again. */
  function learn(key: string, cost: number, grant: Grant, askedMs: number): void {
    const told = fillOf(grant, cost, askedMs)
    putBounded(fills, key, told, mostRemembered)
    if (grant.allowed) {
      refusals.delete(key)
    } else {
      putBounded(refusals, key, told, mostRemembered)
    }
  }

  /** The grant where the object has failed. */
  function grantWithout(key: string, cost: number, error: unknown): Grant {
    if (isMarked(error, 'overloaded')) {
      return { capacity, rate, remaining: 0, allowed: false, waitMs: overloadedMs }
    }
    report(error)
    return takeHere(key, cost)
  }

  async function judge(key: string, cost: number, answer: Promise<Grant>): Promise<LimitVerdict> {
    try {
      return verdictOf(await answer, cost)
    } catch (error) {
      const grant = grantWithout(key, cost, error)
      learn(key, cost, grant, clock())
      return verdictOf(grant, cost)
    }
  }

  /**
   * Adds to the tokens under way, and gives their sum. A request that its client has cancelled may never release its tokens, so
   * that they stop counting when none were added for the longest time that a request waits.
   */
  function reserve(key: string, cost: number): number {
    const nowMs = clock()
    const known = underWay.get(key)
    const isOver = known && nowMs - known.atMs > options.deadlines.firstDeadlineMs
    const tokens = Math.max(0, (isOver ? 0 : (known?.tokens ?? 0)) + cost)
    if (tokens > 0) {
      putBounded(
        underWay,
        key,
        { tokens, atMs: cost > 0 ? nowMs : (known?.atMs ?? nowMs) },
        mostRemembered,
      )
    } else {
      underWay.delete(key)
    }
    return tokens
  }

  function begin(key: string, cost: number): Admission {
    const askedMs = clock()
    const fill = fills.get(key)
    const mayStart = reserve(key, cost) <= (fill ? tokensAt(fill, askedMs) : capacity)
    let isReserved = true
    const release = (): void => {
      if (isReserved) {
        isReserved = false
        reserve(key, -cost)
      }
    }
    const { answer, wait } = ask(key, cost)
    let verdict: Promise<LimitVerdict> | undefined
    const settle = (): Promise<LimitVerdict> => {
      // The tokens are released even where the object never answers.
      verdict ??= judge(key, cost, wait()).finally(release)
      return verdict
    }
    // After a fault the isolate's own bucket is charged at once, because other requests may begin before this one waits for
    // its verdict.
    answer.then((grant) => {
      learn(key, cost, grant, askedMs)
      release()
    }, settle)
    return { mayStart, verdict: settle }
  }

  return {
    recall,
    ask(key, cost) {
      const refusal = recall(key, cost)
      return refusal ? { mayStart: false, verdict: async () => refusal } : begin(key, cost)
    },
  }
}

function verdictOf(grant: Grant, cost: number): LimitVerdict {
  const { capacity, rate, remaining } = grant
  const figures = { capacity, rate, remaining, cost }
  return grant.allowed
    ? { ...figures, allowed: true }
    : { ...figures, allowed: false, retryAfter: retryAfterSeconds(grant.waitMs) }
}
