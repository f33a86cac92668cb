import { DurableObject } from 'cloudflare:workers'

/** The variables of the limit. */
export interface LimitRules {
  readonly RATE_LIMIT_BURST_CAPACITY: string
  readonly RATE_LIMIT_REPLENISH_RATE: string
}

/** A token bucket in memory. Times are milliseconds since the epoch, amounts are tokens. */
export class TokenBucket extends DurableObject<LimitRules> {
  #owed = 0
  #at = Date.now()

  /** Takes tokens. Returns how many are left; below zero: refused, and that many milliseconds to wait. */
  takeTokens(cost: number): number {
    const capacity = Number(this.env.RATE_LIMIT_BURST_CAPACITY)
    const rate = Number(this.env.RATE_LIMIT_REPLENISH_RATE) / 1000
    const now = Math.max(this.#at, Date.now())
    const owed = Math.max(0, this.#owed - (now - this.#at) * rate)
    const isTaken = owed + cost <= capacity
    this.#owed = isTaken ? owed + cost : owed
    this.#at = now
    return isTaken ? Math.floor(capacity - this.#owed) : -Math.ceil((owed + cost - capacity) / rate)
  }
}
