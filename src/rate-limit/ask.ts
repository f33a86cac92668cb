import type { Grant } from './bucket.ts'
import { readGrant } from './grant.ts'
import type { Jurisdiction } from './policy.ts'

/** Asks the bucket of a key for `cost` tokens, through a new stub each time. */
export type Ask = (key: string, cost: number) => PromiseLike<unknown>

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

/**
 * Asks a bucket at once, and once more after a failure that the platform marks as retryable (contract, section 10).
 *
 * @param isInTime does a pause of so many milliseconds end before the deadline?
 * @throws the error of the object, or an Error when its answer is not a grant
 */
export async function askTwice(
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
