import { putBounded } from '../lib/bounded-map.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Grant } from './bucket.ts'
import { readGrant } from './grant.ts'
import { type Deadlines, type Jurisdiction, mostRemembered } from './policy.ts'

/** Asks the bucket of a key for `cost` tokens, through a new stub each time. */
export type Ask = (key: string, cost: number) => PromiseLike<unknown>

/** Asks a bucket at once, as {@link askInTime} describes. */
export type AskInTime = (key: string, cost: number) => Question

/** The part of a Durable Object namespace that is used here. */
export interface BucketNamespace {
  getByName(name: string): { take(cost: number): PromiseLike<unknown> }
  jurisdiction(name: Jurisdiction): BucketNamespace
}

/** Bounds, in milliseconds, of the random pause before the retry. */
const pauseMs = { least: 20, most: 60 }

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

/** A question that was sent to an object. */
interface Question {
  /** The answer, even after the deadline. Rejects with the error of the object, or when the answer is not a grant. */
  readonly answer: Promise<Grant>
  /** Waits for the answer until the deadline, which counts from the question. Rejects with an Error after it. */
  readonly wait: () => Promise<Grant>
}

/**
 * Gives the function that asks a bucket at once, and once more after a failure that the platform marks as retryable. One deadline
 * bounds both (contract, section 10).
 *
 * @param clock milliseconds since the epoch
 */
export function askInTime(ask: Ask, deadlines: Deadlines, clock: () => number): AskInTime {
  /** Objects that have answered this isolate. Any other one may be far away, and may have to be created first. */
  const met = new Map<string, true>()
  return (key, cost) => {
    const deadlineMs = met.has(key) ? deadlines.deadlineMs : deadlines.firstDeadlineMs
    const startedMs = clock()
    const answer = askTwice(ask, key, cost, (pause) => clock() - startedMs + pause < deadlineMs)
    let isThere = false
    answer.then(
      () => {
        isThere = true
        putBounded(met, key, true, mostRemembered)
      },
      () => {
        isThere = true
      },
    )
    const wait = (): Promise<Grant> => {
      // The answer has usually come by now, and a timer costs more than everything else here.
      if (isThere) {
        return answer
      }
      // A clock that has gone back must not prolong the wait.
      const passedMs = Math.max(0, clock() - startedMs)
      return withDeadline(answer, deadlineMs - passedMs, () => {
        throw new Error(`The rate limiter gave no answer within ${deadlineMs} ms`)
      })
    }
    return { answer, wait }
  }
}

/**
 * Asks, and asks again after a retryable failure.
 *
 * @param isInTime does a pause of so many milliseconds end before the deadline?
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
export function isMarked(error: unknown, mark: 'retryable' | 'overloaded'): boolean {
  return error instanceof Error && (error as { [Mark in typeof mark]?: unknown })[mark] === true
}
