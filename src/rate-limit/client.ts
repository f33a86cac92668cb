import { putBounded } from '../lib/bounded-map.ts'
import { type WithDeadline, withDeadline } from '../lib/deadline.ts'
import { type Ask, askTwice, isMarked } from './ask.ts'
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

/**
 * What an isolate knows of a bucket. Where {@link mostRemembered} other buckets were asked since, it is forgotten, with the tokens
 * under way: the next request may begin before its verdict then, and waits as long as a first contact does.
 */
interface Known {
  /** How full it was by the last answer; undefined until one has come. */
  fill: Fill | undefined
  /** The tokens that requests have asked it for without an answer yet. */
  underWay: number
  /** When the last request asked, in milliseconds since the epoch. */
  askedMs: number
  /** Has its object answered this isolate? Any other one may be far away, and may have to be created first. */
  hasAnswered: boolean
}

/** The limiter of one isolate. `key` names a bucket. */
export interface RateLimiter {
  /** The remembered refusal that still holds for this cost; undefined where the bucket must be asked. */
  recall(key: string, cost: number): LimitVerdict | undefined
  /**
   * Asks a bucket for tokens at once, unless a remembered refusal holds.
   *
   * @param wait waits by the timer of the request; the wait has a timer of its own if absent
   */
  ask(key: string, cost: number, wait?: WithDeadline): Admission
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
  const { ask, deadlines, limits, onDegraded, clock = () => Date.now() } = options
  const { capacity, rate } = limits
  const known = new Map<string, Known>()
  /** Remembered refusals. They have a map of their own, so that grants of other callers do not displace them. */
  const refusals = new Map<string, Fill>()
  const buckets = new Map<string, Bucket>()
  let reportedMs = Number.NEGATIVE_INFINITY

  /** Takes tokens from the isolate's own bucket, which limits callers during an outage of the objects. */
  function takeHere(key: string, cost: number): Grant {
    const nowMs = clock()
    const own = buckets.get(key) ?? restart(undefined, limits, nowMs)
    const { bucket, grant } = take(own, limits, cost, nowMs)
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

  /** The grant where the object has failed. */
  function grantWithout(key: string, cost: number, error: unknown): Grant {
    if (isMarked(error, 'overloaded')) {
      return { capacity, rate, remaining: 0, allowed: false, waitMs: overloadedMs }
    }
    report(error)
    return takeHere(key, cost)
  }

  /** What is known of a bucket, with the tokens of one more request under way. */
  function asking(key: string, cost: number, nowMs: number): Known {
    const bucket = known.get(key) ?? {
      fill: undefined,
      underWay: 0,
      askedMs: nowMs,
      hasAnswered: false,
    }
    // A request that its client has cancelled may never release its tokens, so that they stop counting when none were added
    // for the longest time that a request waits.
    const isOver = nowMs - bucket.askedMs > deadlines.firstDeadlineMs
    bucket.underWay = (isOver ? 0 : bucket.underWay) + cost
    bucket.askedMs = nowMs
    putBounded(known, key, bucket, mostRemembered)
    return bucket
  }

  function begin(key: string, cost: number, wait: WithDeadline): Admission {
    const askedMs = clock()
    const bucket = asking(key, cost, askedMs)
    const mayStart = bucket.underWay <= (bucket.fill ? tokensAt(bucket.fill, askedMs) : capacity)
    const deadlineMs = bucket.hasAnswered ? deadlines.deadlineMs : deadlines.firstDeadlineMs
    // A clock that has gone back must not prolong the wait.
    const leftMs = (): number => deadlineMs - Math.max(0, clock() - askedMs)
    let isReserved = true
    /** Remembers how full the bucket is by a grant, and a refusal until tokens are granted again. Releases the tokens. */
    const learn = (grant: Grant, atMs: number): LimitVerdict => {
      bucket.fill = fillOf(grant, cost, atMs)
      if (grant.allowed) {
        refusals.delete(key)
      } else {
        putBounded(refusals, key, bucket.fill, mostRemembered)
      }
      if (isReserved) {
        isReserved = false
        bucket.underWay = Math.max(0, bucket.underWay - cost)
      }
      return verdictOf(grant, cost)
    }
    let isThere = false
    let own: LimitVerdict | undefined
    /** The verdict without the object. It is made once, so that the isolate's own bucket is charged at most once. */
    const without = (error: unknown): LimitVerdict => {
      own ??= learn(grantWithout(key, cost, error), clock())
      return own
    }
    // After a fault the isolate's own bucket is charged at once, because other requests may begin before this one waits for
    // its verdict.
    const judged = askTwice(ask, key, cost, (pause) => pause < leftMs()).then(
      (grant) => {
        isThere = true
        bucket.hasAnswered = true
        return learn(grant, askedMs)
      },
      (error) => {
        isThere = true
        return without(error)
      },
    )
    let verdict: Promise<LimitVerdict> | undefined
    const settle = (): Promise<LimitVerdict> => {
      // The answer has usually come by now, and a timer costs more than everything else here.
      verdict ??= isThere
        ? judged
        : wait(judged, leftMs(), () =>
            without(new Error(`The rate limiter gave no answer within ${deadlineMs} ms`)),
          )
      return verdict
    }
    return { mayStart, verdict: settle }
  }

  return {
    recall,
    ask(key, cost, wait = withDeadline) {
      const refusal = recall(key, cost)
      return refusal ? { mayStart: false, verdict: async () => refusal } : begin(key, cost, wait)
    },
  }
}

function verdictOf(grant: Grant, cost: number): LimitVerdict {
  const { capacity, rate, remaining } = grant
  return grant.allowed
    ? { capacity, rate, remaining, cost, allowed: true }
    : {
        capacity,
        rate,
        remaining,
        cost,
        allowed: false,
        retryAfter: retryAfterSeconds(grant.waitMs),
      }
}
