import type { Grant } from './bucket.ts'

/**
 * Asks the bucket of a key for `cost` tokens, through a stub of its own each time. What comes back was
 * made by an object that may run another version, so it is looked at before it is believed.
 */
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

/**
 * Asks for an answer within {@link askTimeoutMs}, and once more when the failure is marked as worth it.
 *
 * @param clock milliseconds since the epoch
 * @throws what the object threw, or an Error when it was late or its answer is none
 */
export async function askInTime(
  ask: Ask,
  key: string,
  cost: number,
  clock: () => number,
): Promise<Grant> {
  const startedMs = clock()
  const deadline = startDeadline()
  try {
    return grantOf(await Promise.race([ask(key, cost), deadline.passed]))
  } catch (error) {
    const pause = pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least)
    const inTime = clock() - startedMs + pause < askTimeoutMs
    if (!isMarked(error, 'retryable') || isMarked(error, 'overloaded') || !inTime) {
      throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    return grantOf(await Promise.race([ask(key, cost), deadline.passed]))
  } finally {
    deadline.clear()
  }
}

/** Has the platform marked the error so? A retry of an overloaded object would only add to its load. */
export function isMarked(error: unknown, mark: 'retryable' | 'overloaded'): boolean {
  return error instanceof Error && (error as { [Mark in typeof mark]?: unknown })[mark] === true
}

/** A promise that rejects when the time is up, unless it is cleared before. */
function startDeadline(): { readonly passed: Promise<never>; readonly clear: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new Error(`The rate limiter gave no answer within ${askTimeoutMs} ms`))
  const timer = setTimeout(late, askTimeoutMs)
  return { passed: promise, clear: () => clearTimeout(timer) }
}

function grantOf(answer: unknown): Grant {
  if (!isGrant(answer)) {
    throw new Error('The rate limiter gave an answer that is none')
  }
  return answer
}

function isGrant(answer: unknown): answer is Grant {
  if (typeof answer !== 'object' || answer === null) {
    return false
  }
  const grant: Partial<Record<keyof Grant, unknown>> = answer
  return (
    typeof grant.allowed === 'boolean' &&
    [grant.capacity, grant.rate, grant.remaining, grant.waitMs].every(
      (figure) => Number.isSafeInteger(figure) && Number(figure) >= 0,
    )
  )
}
