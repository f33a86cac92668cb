import { DurableObject } from 'cloudflare:workers'
import { type Bucket, fullBucket, type Limits, type Taken, take } from './bucket.ts'

/**
 * The token bucket of one caller, in memory. It is full by the time that an idle object is removed (see `policy.ts`).
 */
export class TokenBucket extends DurableObject<Env> {
  #bucket: Bucket | undefined

  /** Takes tokens. While two versions of the Worker run, both call this method. */
  take(cost: number, limits: Limits): Taken {
    const nowMs = Date.now()
    const taken = take(this.#bucket ?? fullBucket(limits, nowMs), limits, cost, nowMs)
    this.#bucket = taken
    return taken
  }

  /** Deletes what an earlier version has stored. Only that version sets alarms. */
  override alarm(): Promise<void> {
    return this.ctx.storage.deleteAll()
  }
}
