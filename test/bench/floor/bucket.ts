import { DurableObject } from 'cloudflare:workers'

/** The variables of the limit. */
export interface LimitRules {
  readonly RATE_LIMIT_BURST_CAPACITY: string
  readonly RATE_LIMIT_REPLENISH_RATE: string
}

/** A token bucket in memory: the same promise as the service's. Times are milliseconds since the epoch, amounts are tokens. */
export class TokenBucket extends DurableObject<LimitRules> {
  readonly #capacity: number
  readonly #rate: number
  #owed = 0
  #at = Date.now()

  constructor(ctx: DurableObjectState, env: LimitRules) {
    super(ctx, env)
    this.#capacity = Number(env.RATE_LIMIT_BURST_CAPACITY)
    this.#rate = Number(env.RATE_LIMIT_REPLENISH_RATE) / 1000
  }

  /** Takes tokens. Returns how many are left; below zero: refused, and that many milliseconds to wait. */
  take(cost: number): number {
    const now = Math.max(this.#at, Date.now())
    this.#owed = Math.max(0, this.#owed - (now - this.#at) * this.#rate)
    this.#at = now
    const owed = this.#owed + cost
    if (owed > this.#capacity) {
      return -Math.ceil((owed - this.#capacity) / this.#rate)
    }
    this.#owed = owed
    return Math.floor(this.#capacity - owed)
  }
}
