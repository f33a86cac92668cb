import { DurableObject } from 'cloudflare:workers'
import { type Bucket, fullBucket, take } from './bucket.ts'

/**
 * The token bucket of one caller, in memory. It is full by the time that an idle object is removed (see `policy.ts`).
 */
export class TokenBucket extends DurableObject<Env> {
  #bucket: Bucket | undefined

  /**
   * Takes tokens. Returns the millitokens that are left; if that is below zero, as many are missing, and none was taken. While two
   * versions of the Worker run, both call this method: a new way to ask is a new method.
   */
  takeTokens(cost: number, capacity: number, rate: number): number {
    const nowMs = Date.now()
    const limits = { capacity, rate }
    const taken = take(this.#bucket ?? fullBucket(limits, nowMs), limits, cost, nowMs)
    this.#bucket = taken
    return taken.left
  }
}
