import { DurableObject } from 'cloudflare:workers'
import { type Bucket, type Ceiling, fullFromMs, type Limits, restart, take } from './bucket.ts'
import { writeGrant } from './grant.ts'
import { rateLimitFrom } from './policy.ts'

const ceilingKey = 'ceiling'

/** Milliseconds for which a bucket has been full when its object deletes what it stored (contract, section 10). */
const idleMs = 3_600_000

/** What is stored: the ceiling, and when the object is woken to see whether it can go, in milliseconds since the epoch. */
interface Stored extends Ceiling {
  /** Versions without alarms have stored none. */
  readonly alarmMs?: number
}

/**
 * One caller's token bucket (contract, section 10). It lives in memory; storage holds its write-ahead
 * ceiling alone, and the platform's output gate keeps a grant back until the ceiling it needs is durable.
 *
 * An alarm is set together with the first ceiling. It sets itself again if the bucket was used since.
 *
 * The numbers are the object's own, not the caller's: while two versions of the Worker are live, all
 * of them spend from one bucket of one size.
 */
export class TokenBucket extends DurableObject<Env> {
  readonly #limits: Limits
  #bucket: Bucket
  #alarmMs: number

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { capacity, rate } = rateLimitFrom(env)
    const stored = ctx.storage.kv.get<Stored>(ceilingKey)
    this.#limits = { capacity, rate }
    this.#bucket = restart(stored, this.#limits, Date.now())
    this.#alarmMs = stored?.alarmMs ?? 0
  }

  /**
   * Takes `cost` tokens, all or none. Workers of other versions call this method too, so that it must not change: a
   * new way to ask needs a new method.
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
    // The ceiling is stored first: an instance that was replaced fails here, before it has spent anything.
    if (ceiling) {
      this.#store(ceiling)
    }
    this.#bucket = bucket
    return writeGrant(grant)
  }

  /**
   * Deletes what is stored once the bucket has been full for {@link idleMs}. It goes by what is stored, since a bucket that has
   * just restarted does not know how long it has been full.
   */
  override async alarm(): Promise<void> {
    const stored = this.ctx.storage.kv.get<Stored>(ceilingKey)
    const dueMs = stored ? fullFromMs(stored) + idleMs : 0
    if (Date.now() < dueMs) {
      this.#alarmMs = dueMs
      return this.ctx.storage.setAlarm(dueMs)
    }
    this.#alarmMs = 0
    // No tokens are taken until everything is deleted, since a ceiling stored meanwhile would be deleted with the rest.
    return this.ctx.blockConcurrencyWhile(() => this.ctx.storage.deleteAll())
  }

  /** Stores a ceiling, and sets the alarm where none is to come. One transaction: nothing is awaited in between. */
  #store(ceiling: Ceiling): void {
    const isSet = this.#alarmMs > Date.now()
    const alarmMs = isSet ? this.#alarmMs : fullFromMs(ceiling) + idleMs
    this.ctx.storage.kv.put(ceilingKey, { ...ceiling, alarmMs } satisfies Stored)
    if (!isSet) {
      this.ctx.storage.setAlarm(alarmMs)
      this.#alarmMs = alarmMs
    }
  }
}
