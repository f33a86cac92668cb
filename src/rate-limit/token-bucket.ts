import { DurableObject } from 'cloudflare:workers'
import { type Bucket, type Ceiling, type Limits, restart, take } from './bucket.ts'
import { writeGrant } from './grant.ts'
import { rateLimitFrom } from './policy.ts'

const ceilingKey = 'ceiling'

/**
 * One caller's token bucket (contract, section 10). It lives in memory; storage holds its write-ahead
 * ceiling alone, and the platform's output gate keeps a grant back until the ceiling it needs is durable.
 *
 * The numbers are the object's own, not the caller's: while two versions of the Worker are live, all
 * of them spend from one bucket of one size.
 */
export class TokenBucket extends DurableObject<Env> {
  readonly #limits: Limits
  #bucket: Bucket

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { capacity, rate } = rateLimitFrom(env)
    this.#limits = { capacity, rate }
    this.#bucket = restart(ctx.storage.kv.get<Ceiling>(ceilingKey), this.#limits, Date.now())
  }

  /**
   * Takes `cost` tokens, all or none. Workers of other versions call it too, so that it stays as it is: a new way to ask
   * is a new method.
   *
   * @param cost whole tokens, at least 1
   * @returns a grant, see {@link writeGrant}
   * @throws RangeError when the cost is anything else
   */
  take(cost: number): string {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new RangeError(`Not a cost: ${cost}`)
    }
    const { bucket, grant, ceiling } = take(this.#bucket, this.#limits, cost, Date.now())
    // In this order: a superseded instance fails here, before it has spent anything.
    if (ceiling) {
      this.ctx.storage.kv.put(ceilingKey, ceiling)
    }
    this.#bucket = bucket
    return writeGrant(grant)
  }
}
