import { DurableObject } from 'cloudflare:workers'
import {
  type Bucket,
  type Ceiling,
  fullFromMs,
  type Limits,
  restart,
  take,
  writeGrant,
} from './bucket.ts'
import { rateLimitFrom } from './policy.ts'

const ceilingKey = 'ceiling'

/** The milliseconds after which the object of a full bucket deletes its stored data (contract, section 10). */
const idleMs = 3_600_000

/** The stored data: the ceiling, and the time of the alarm that may delete it, in milliseconds since the epoch. */
interface Stored extends Ceiling {
  /** Absent in data of versions that had no alarm. */
  readonly alarmMs?: number
}

/**
 * One caller's token bucket (contract, section 10). It lives in memory. Storage holds only its write-ahead ceiling, and the
 * platform's output gate keeps a grant back until the ceiling that it needs is durable.
 *
 * An alarm is set together with the first ceiling. Where the bucket was used since, the alarm is set again.
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
    const stored = ctx.storage.kv.get<Stored>(ceilingKey)
    this.#limits = rateLimitFrom(env)
    this.#bucket = restart(stored, this.#limits, Date.now())
    this.#alarmMs = stored?.alarmMs ?? 0
  }

  /**
   * Takes `cost` tokens or none. Workers of other versions call this method, too, so that it must not change: another way to ask
   * needs another method.
   *
   * @param cost whole tokens, at least 1
   * @returns a grant, see {@link writeGrant}
   * @throws RangeError when the cost is anything else
   */
  take(cost: number): string {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new RangeError(`A cost is a whole number from 1, not ${cost}`)
    }
    const { bucket, grant, ceiling } = take(this.#bucket, this.#limits, cost, Date.now())
    // The ceiling is stored first, so that an instance that was replaced fails here and spends nothing.
    if (ceiling) {
      this.#store(ceiling)
    }
    this.#bucket = bucket
    return writeGrant(grant)
  }

  /**
   * Deletes the stored data once the bucket has been full for {@link idleMs}. The stored ceiling tells that, because a bucket that
   * has just restarted does not know how long it has been full.
   */
  override async alarm(): Promise<void> {
    const stored = this.ctx.storage.kv.get<Stored>(ceilingKey)
    const dueMs = stored ? fullFromMs(stored) + idleMs : 0
    if (Date.now() < dueMs) {
      this.#alarmMs = dueMs
      return this.ctx.storage.setAlarm(dueMs)
    }
    this.#alarmMs = 0
    // No tokens are taken until everything is deleted, because a ceiling that is stored meanwhile would be deleted, too.
    return this.ctx.blockConcurrencyWhile(() => this.ctx.storage.deleteAll())
  }

  /** Stores a ceiling, and sets the alarm where none is due. Nothing is awaited in between, so that it is one transaction. */
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
