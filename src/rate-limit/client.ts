import { withDeadline } from '../lib/deadline.ts'
import { putBounded } from '../lib/kept.ts'
import {
  type Bucket,
  type Fill,
  fillOf,
  type Grant,
  type Limits,
  type LimitVerdict,
  readGrant,
  refusalFrom,
  restart,
  take,
  tokensAt,
} from './bucket.ts'
import type { Deadlines, Jurisdiction } from './policy.ts'

/** Asks the bucket of a key for `cost` tokens, through a new stub each time. */
export type Ask = (key: string, cost: number) => PromiseLike<unknown>

/** The part of a Durable Object namespace that is used here. */
export interface BucketNamespace {
  getByName(name: string): { take(cost: number): PromiseLike<unknown> }
  jurisdiction(name: Jurisdiction): BucketNamespace
}

/**
 * Asks the objects of a namespace.
 *
 * @param jurisdiction where the objects must stay; anywhere if absent
 */
export function askObjects(namespace: BucketNamespace, jurisdiction?: Jurisdiction): Ask {
  // The namespace is looked up at each question, so that a jurisdiction which the platform refuses is a fault of the limiter
  // and not of the start.
  const objects = () => (jurisdiction ? namespace.jurisdiction(jurisdiction) : namespace)
  return (key, cost) => objects().getByName(key).take(cost)
}

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
}

/** The most buckets that an isolate remembers in each of its maps. The one that was set longest ago is dropped first. */
export const mostRemembered = 10_000

/** The least milliseconds between two reports of a degraded limiter in an isolate. */
export const quietMs = 10_000

/** The milliseconds for which a caller is refused when its object is overloaded, because another question would add to the load. */
const overloadedMs = 1_000

/** Bounds, in milliseconds, of the random pause before an object is asked again. */
const pauseMs = { least: 20, most: 60 }

/**
 * What an isolate knows of a bucket. Where {@link mostRemembered} other buckets were asked since, it is forgotten, with the tokens
 * under way: the next request may begin before its verdict then, and waits as long as a first contact does.
 */
interface Known {
  /** How full it was by the last answer; undefined until one has come. */
  fill?: Fill
  /** The tokens that requests have asked it for without an answer yet. */
  underWay: number
  /** When the last request asked, in milliseconds since the epoch. */
  askedMs: number
  /** Has its object answered this isolate? Any other one may be far away, and may have to be created first. */
  hasAnswered: boolean
  /** The isolate's own bucket, which limits the caller where the object cannot be asked. */
  own?: Bucket
}

/** Makes the limiter of one isolate, which asks the objects that hold the buckets (contract, section 10). */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { ask, deadlines, limits, onDegraded } = options
  const { capacity, rate } = limits
  const known = new Map<string, Known>()
  /** Remembered refusals. They have a map of their own, so that grants of other callers do not displace them. */
  const refusals = new Map<string, Fill>()
  let reportedMs = Number.NEGATIVE_INFINITY

  function recall(key: string, cost: number): LimitVerdict | undefined {
    const fill = refusals.get(key)
    const refusal = fill && refusalFrom(fill, cost, Date.now())
    return refusal && { ...refusal, cost, isRemembered: true }
  }

  /** The grant where the object has failed. */
  function grantWithout(bucket: Known, cost: number, error: unknown): Grant {
    if (isMarked(error, 'overloaded')) {
      return { capacity, rate, remaining: 0, allowed: false, waitMs: overloadedMs }
    }
    const nowMs = Date.now()
    if (nowMs - reportedMs >= quietMs) {
      reportedMs = nowMs
      onDegraded(error)
    }
    const taken = take(bucket.own ?? restart(undefined, limits, nowMs), limits, cost, nowMs)
    bucket.own = taken.bucket
    return taken.grant
  }

  /** What is known of a bucket, with the tokens of one more request under way. */
  function asking(key: string, cost: number, nowMs: number): Known {
    const bucket = known.get(key) ?? { underWay: 0, askedMs: nowMs, hasAnswered: false }
    // A request that its client has cancelled may never release its tokens, so that they stop counting when none were added
    // for the longest time that a request waits.
    const isOver = nowMs - bucket.askedMs > deadlines.firstDeadlineMs
    bucket.underWay = (isOver ? 0 : bucket.underWay) + cost
    bucket.askedMs = nowMs
    putBounded(known, key, bucket, mostRemembered)
    return bucket
  }

  function begin(key: string, cost: number): Admission {
    const askedMs = Date.now()
    const bucket = asking(key, cost, askedMs)
    const mayStart = bucket.underWay <= (bucket.fill ? tokensAt(bucket.fill, askedMs) : capacity)
    const deadlineMs = bucket.hasAnswered ? deadlines.deadlineMs : deadlines.firstDeadlineMs
    // A clock that has gone back must not prolong the wait.
    const leftMs = (): number => deadlineMs - Math.max(0, Date.now() - askedMs)
    let said: LimitVerdict | undefined
    /**
     * Remembers how full the bucket is by a grant, and a refusal until tokens are granted again. The first grant is the verdict, and
     * releases the tokens.
     */
    const learn = (grant: Grant, atMs: number): LimitVerdict => {
      bucket.fill = fillOf(grant, cost, atMs)
      if (grant.allowed) {
        refusals.delete(key)
      } else {
        putBounded(refusals, key, bucket.fill, mostRemembered)
      }
      if (!said) {
        said = { ...grant, cost }
        bucket.underWay = Math.max(0, bucket.underWay - cost)
      }
      return said
    }
    const without = (error: unknown): LimitVerdict =>
      said ?? learn(grantWithout(bucket, cost, error), Date.now())
    // After a fault the isolate's own bucket is charged at once, because other requests may begin before this one waits for
    // its verdict.
    const judged = askTwice(ask, key, cost, (pause) => pause < leftMs()).then((grant) => {
      bucket.hasAnswered = true
      return learn(grant, askedMs)
    }, without)
    const late = (): LimitVerdict =>
      without(new Error(`The rate limiter gave no answer within ${deadlineMs} ms`))
    // The answer has usually come by now, and a timer costs more than everything else here.
    return { mayStart, verdict: async () => said ?? withDeadline(judged, leftMs(), late) }
  }

  return {
    recall,
    ask(key, cost) {
      const refusal = recall(key, cost)
      return refusal ? { mayStart: false, verdict: async () => refusal } : begin(key, cost)
    },
  }
}

/**
 * Asks a bucket at once, and once more after a failure that the platform marks as retryable (contract, section 10).
 *
 * @param isInTime does a pause of so many milliseconds end before the deadline?
 * @throws the error of the object, or an Error when its answer is not a grant
 */
async function askTwice(
  ask: Ask,
  key: string,
  cost: number,
  isInTime: (pause: number) => boolean,
): Promise<Grant> {
  try {
    return readGrant(await ask(key, cost))
  } catch (error) {
    const pause = pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least)
    if (!isMarked(error, 'retryable') || isMarked(error, 'overloaded') || !isInTime(pause)) {
      throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    return readGrant(await ask(key, cost))
  }
}

/** Has the platform marked the error this way? Where it is `overloaded`, another question would add to the load. */
function isMarked(error: unknown, mark: 'retryable' | 'overloaded'): boolean {
  return error instanceof Error && (error as { [Mark in typeof mark]?: unknown })[mark] === true
}
