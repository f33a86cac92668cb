import { putBounded } from '../lib/cache.ts'
import { withDeadline } from '../lib/deadline.ts'
import {
  type Bucket,
  fullBucket,
  type Limits,
  type LimitVerdict,
  refill,
  type Taken,
  take,
  takenOf,
  verdictOf,
} from './bucket.ts'
import type { Jurisdiction, RateLimit } from './policy.ts'

/** Asks the object of a caller for tokens. */
export type Ask = (key: string, cost: number) => PromiseLike<number>

/** The part of a Durable Object namespace that is used here. */
export interface BucketNamespace {
  getByName(name: string): {
    takeTokens(cost: number, capacity: number, rate: number): PromiseLike<number>
  }
  jurisdiction(name: Jurisdiction): BucketNamespace
}

/**
 * Asks the objects of a namespace, by a new stub each time: a stub that has failed
 * [stays broken](https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */
export function askObjects(namespace: BucketNamespace, limit: RateLimit): Ask {
  const { capacity, rate, jurisdiction } = limit
  return (key, cost) => {
    const objects = jurisdiction ? namespace.jurisdiction(jurisdiction) : namespace
    return objects.getByName(key).takeTokens(cost, capacity, rate)
  }
}

/** The limiter of one isolate. A key names a caller. */
export type RateLimiter = ReturnType<typeof createRateLimiter>

/** What a limiter needs. */
export interface RateLimiterOptions {
  readonly ask: Ask
  readonly limit: Limits & Pick<RateLimit, 'deadlineMs'>
  /** Is called if an object fails, at most once in {@link quietMs}. */
  readonly onDegraded: (error: unknown) => void
}

/** The maximum number of callers that an isolate remembers. It drops the least recent first. */
export const maxRemembered = 10_000

/** Milliseconds between two reports of failing objects. */
export const quietMs = 10_000

/** What an isolate knows of a caller. */
interface Known {
  /** The isolate's own bucket. A request takes tokens from it and from the object. An answer of the object can only lower it. */
  own: Bucket
  /** The bucket after the last refusal. Undefined if the last request was allowed. */
  refused?: Bucket | undefined
}

/** Makes the limiter of one isolate. */
export function createRateLimiter({ ask, limit, onDegraded }: RateLimiterOptions) {
  const callers = new Map<string, Known>()
  let reportedMs = Number.NEGATIVE_INFINITY

  /** The verdict if the caller's last request was refused and its bucket cannot pay this price yet. Otherwise undefined. */
  function recall(key: string, cost: number): LimitVerdict | undefined {
    const refused = callers.get(key)?.refused
    const taken = refused && take(refused, limit, cost, Date.now())
    return taken && taken.left < 0 ? verdictOf(taken, limit, cost) : undefined
  }

  /** The decision if the object has failed: that of the own bucket; if the object is overloaded, a refusal for at least a second. */
  function decideAlone(own: Taken, cost: number, error: unknown): Taken {
    if (error instanceof Error && 'overloaded' in error && error.overloaded === true) {
      return takenOf(-1_000 * (limit.rate + cost), cost, own.atMs)
    }
    if (own.atMs - reportedMs >= quietMs) {
      reportedMs = own.atMs
      onDegraded(error)
    }
    return own
  }

  /** Asks the object. Never rejects: if it fails, the isolate decides. */
  async function decide(known: Known, own: Taken, key: string, cost: number) {
    let taken: Taken
    try {
      const left = await withDeadline(ask(key, cost), limit.deadlineMs, () => {
        throw new Error(`The rate limiter gave no answer within ${limit.deadlineMs} ms`)
      })
      if (!Number.isFinite(left)) {
        throw new Error('The answer of the rate limiter is no number')
      }
      // The time of the question: with that of the answer, the caller would wait too long.
      taken = takenOf(left, cost, own.atMs)
      const now = refill(taken, limit, known.own.atMs)
      known.own = now.millitokens < known.own.millitokens ? now : known.own
    } catch (error) {
      taken = decideAlone(own, cost, error)
    }
    known.refused = taken.left < 0 ? taken : undefined
    return verdictOf(taken, limit, cost)
  }

  return {
    recall,
    /** Asks the object, unless `recall` has a verdict. `mayStart`: may a read start before the verdict is known? */
    ask(key: string, cost: number) {
      const refusal = recall(key, cost)
      if (refusal) {
        return { mayStart: false, verdict: Promise.resolve(refusal) }
      }
      const nowMs = Date.now()
      const known = callers.get(key) ?? { own: fullBucket(limit, nowMs) }
      const own = take(known.own, limit, cost, nowMs)
      known.own = own
      putBounded(callers, key, known, maxRemembered)
      return { mayStart: own.left >= 0, verdict: decide(known, own, key, cost) }
    },
  }
}
