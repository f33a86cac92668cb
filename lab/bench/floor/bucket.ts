import { DurableObject } from 'cloudflare:workers'

/** The variables of the limit. */
export interface LimitRules {
  readonly RATE_LIMIT_BURST_CAPACITY: string
  readonly RATE_LIMIT_REPLENISH_RATE: string
}

/**
 * A token bucket in memory with its ceiling in storage, written before it is spent past: the same promise as
 * the service's (contract, section 10). Times are milliseconds since the epoch, amounts are tokens.
 */
export class TokenBucket extends DurableObject<LimitRules> {
  readonly #capacity: number
  readonly #rate: number
  #owed: number
  #ceiling: number
  #at = Date.now()

  constructor(ctx: DurableObjectState, env: LimitRules) {
    super(ctx, env)
    this.#capacity = Number(env.RATE_LIMIT_BURST_CAPACITY)
    this.#rate = Number(env.RATE_LIMIT_REPLENISH_RATE) / 1000
    const stored = ctx.storage.kv.get<{ owed: number; at: number }>('ceiling')
    this.#ceiling = stored ? Math.max(0, stored.owed - (this.#at - stored.at) * this.#rate) : 0
    this.#owed = this.#ceiling
  }

  /** Takes tokens. Returns how many are left; below zero: refused, and that many milliseconds to wait. */
  take(cost: number): number {
    const now = Math.max(this.#at, Date.now())
    const replenished = (now - this.#at) * this.#rate
    this.#owed = Math.max(0, this.#owed - replenished)
    this.#ceiling = Math.max(0, this.#ceiling - replenished)
    this.#at = now
    const owed = this.#owed + cost
    if (owed > this.#capacity) {
      return -Math.ceil((owed - this.#capacity) / this.#rate)
    }
    if (owed > this.#ceiling) {
      this.#ceiling = owed + this.#capacity / 2
      this.ctx.storage.kv.put('ceiling', { owed: this.#ceiling, at: now })
    }
    this.#owed = owed
    return Math.floor(this.#capacity - owed)
  }
}
