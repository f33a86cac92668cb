import {
  type Bucket,
  type Ceiling,
  fullFromMs,
  type Limits,
  restart,
  take,
} from '../../../src/rate-limit/bucket.ts'

/** How an object dies in the middle of a request: the answer is lost, and perhaps the write with it. */
export type Crash = 'before the write' | 'after the write'

/** What a world has seen. */
interface Tally {
  requests: number
  admitted: number
  /** Tokens of the admitted requests. */
  tokens: number
  /** Requests admitted by an instance that had been replaced. */
  admittedByZombies: number
  /** Admitted requests that no bucket of this size would have let through. */
  overAdmitted: number
  writes: number
  crashes: number
  /** Alarms that deleted what was stored. */
  deletions: number
}

/** The rule of a bucket. A test gives a wrong one, to show that it would be found. */
export interface Rule {
  readonly restart: typeof restart
  readonly take: typeof take
  readonly fullFromMs: typeof fullFromMs
}

/** The rule of the service. */
export const rightRule: Rule = { restart, take, fullFromMs }

interface Instance {
  bucket: Bucket
}

/** One Durable Object as the platform runs it: one storage, one instance that owns it, and zombies. */
export interface World {
  readonly tally: Readonly<Tally>
  /** Number of instances that can be asked: the owner last, before it those it has replaced. */
  readonly instances: number
  /**
   * Asks one instance, modulo their number, counted from the owner. An instance that needs storage
   * which is no longer its own dies.
   *
   * @returns whether the caller was told that the request may pass
   */
  ask(instance: number, cost: number, nowMs: number, crash?: Crash): boolean
  /** A new instance takes over; the old ones still answer requests that reach them. */
  supersede(nowMs: number): void
  /** All memory is lost, as by an eviction, a crash or a deployment. */
  restart(nowMs: number): void
  /**
   * Wakes the owner, at whatever time: it deletes what is stored if the bucket is full. The object itself waits for an
   * hour more; what is safe without it is safe with it.
   */
  alarm(nowMs: number): void
}

/** A world around an object whose bucket has the given size, and follows a rule. */
export function createWorld(limits: Limits, rule = rightRule): World {
  const tally: Tally = {
    requests: 0,
    admitted: 0,
    tokens: 0,
    admittedByZombies: 0,
    overAdmitted: 0,
    writes: 0,
    crashes: 0,
    deletions: 0,
  }
  const passesAudit = createAudit(limits)
  let stored: Ceiling | undefined
  let instances: readonly Instance[] = [start(0)]

  function start(nowMs: number): Instance {
    return { bucket: rule.restart(stored, limits, nowMs) }
  }

  function supersede(nowMs: number): void {
    tally.crashes += 1
    instances = [...instances.slice(-3), start(nowMs)]
  }

  function restartAll(nowMs: number): void {
    tally.crashes += 1
    instances = [start(nowMs)]
  }

  return {
    tally,
    get instances() {
      return instances.length
    },
    supersede,
    restart: restartAll,
    alarm(nowMs) {
      if (stored && nowMs >= rule.fullFromMs(stored)) {
        stored = undefined
        tally.deletions += 1
      }
    },
    ask(number, cost, nowMs, crash) {
      tally.requests += 1
      const instance = instances.at(-1 - (number % instances.length))
      if (!instance) {
        throw new RangeError('no such instance')
      }
      const owns = instance === instances.at(-1)
      const { grant, bucket, ceiling } = rule.take(instance.bucket, limits, cost, nowMs)
      if (ceiling && !owns) {
        instances = instances.filter((other) => other !== instance)
        return false
      }
      if (ceiling && crash !== 'before the write') {
        stored = ceiling
        tally.writes += 1
      }
      if (crash && owns) {
        restartAll(nowMs)
        return false
      }
      instance.bucket = bucket
      if (!grant.allowed) {
        return false
      }
      tally.admitted += 1
      tally.tokens += cost
      if (!owns) {
        tally.admittedByZombies += 1
      }
      if (!passesAudit(cost, nowMs)) {
        tally.overAdmitted += 1
      }
      return true
    },
  }
}

/**
 * Judges what was admitted, knowing nothing of ceilings: over every stretch of time, ever, at most
 * capacity + rate * time. Counted in real tokens, from the full end, unlike the code under test.
 *
 * @returns a function of what is admitted and when, in order of time: is it within the bound?
 */
export function createAudit({ capacity, rate }: Limits): (cost: number, nowMs: number) => boolean {
  let tokens = capacity
  let lastMs = 0
  return (cost, nowMs) => {
    tokens = Math.min(capacity, tokens + ((nowMs - lastMs) / 1_000) * rate) - cost
    lastMs = nowMs
    // Rounding errors of doubles stay far below this; a violation is a whole token or close to it.
    return tokens > -1e-6
  }
}
