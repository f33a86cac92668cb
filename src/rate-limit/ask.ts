import { withDeadline } from '../lib/deadline.ts'
import type { Grant } from './bucket.ts'
import { readGrant } from './grant.ts'

/** Asks the bucket of a key for `cost` tokens, through a stub of its own each time. */
export type Ask = (key: string, cost: number) => PromiseLike<unknown>

/** The part of a Durable Object namespace that is used here. */
export interface BucketNamespace {
  getByName(name: string): { take(cost: number): PromiseLike<unknown> }
}

/** Milliseconds that a caller waits for its bucket, retry included (contract, section 10). */
const askTimeoutMs = 250

/** Bounds, in milliseconds, of the random pause before the retry. */
const pauseMs = { least: 20, most: 60 }

/** Asks the objects of a namespace. */
export function askObjects(namespace: BucketNamespace): Ask {
  return (key, cost) => namespace.getByName(key).take(cost)
}

/** A question to an object that is under way. */
export interface Question {
  /** The answer, however late. It throws what the object threw, or an Error when its answer is none. */
  readonly answer: Promise<Grant>
  /** Waits for the answer, {@link askTimeoutMs} from the question on at most; throws an Error when it is late. */
  readonly wait: () => Promise<Grant>
}

/**
 * Asks at once, and once more when the failure is marked as worth it.
 *
 * @param clock milliseconds since the epoch
 */
export function askInTime(ask: Ask, key: string, cost: number, clock: () => number): Question {
  const startedMs = clock()
  const answer = askTwice(ask, key, cost, () => clock() - startedMs)
  let isThere = false
  const arrive = (): void => {
    isThere = true
  }
  answer.then(arrive, arrive)
  const wait = (): Promise<Grant> => {
    // Mostly it has come by then, and a timer costs more than all else here.
    if (isThere) {
      return answer
    }
    // A clock that has gone back must not prolong the wait.
    const passedMs = Math.max(0, clock() - startedMs)
    return withDeadline(answer, askTimeoutMs - passedMs, () => {
      throw new Error(`The rate limiter gave no answer within ${askTimeoutMs} ms`)
    })
  }
  return { answer, wait }
}

/** @param passedMs milliseconds since the question */
async function askTwice(
  ask: Ask,
  key: string,
  cost: number,
  passedMs: () => number,
): Promise<Grant> {
  try {
    return readGrant(await ask(key, cost))
  } catch (error) {
    const pause = pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least)
    const isInTime = passedMs() + pause < askTimeoutMs
    if (!isMarked(error, 'retryable') || isMarked(error, 'overloaded') || !isInTime) {
      throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    return readGrant(await ask(key, cost))
  }
}

/** Has the platform marked the error so? A retry of an overloaded object would only add to its load. */
export function isMarked(error: unknown, mark: 'retryable' | 'overloaded'): boolean {
  return error instanceof Error && (error as { [Mark in typeof mark]?: unknown })[mark] === true
}
