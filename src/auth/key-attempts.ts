import { withDeadline } from '../lib/deadline.ts'
import type { KeySet } from './key-set.ts'

/** Attempts to fetch a key set: one at a time for all requests, with growing pauses while they fail. */
export interface KeyAttempts {
  /**
   * Waits for the attempt under way. Where there is none, makes one if the last one began long enough ago. Never rejects.
   *
   * @param spacing the milliseconds that must have passed since the last attempt began; the pause after failures if absent
   * @returns true where the last attempt has succeeded
   */
  wait(spacing?: number): Promise<boolean>
  /** Makes an attempt in the background, unless one is under way or a pause after failures lasts. */
  start(): void
  /** Has an attempt failed so recently that the next one is under way or begins soon? */
  failing(): boolean
  /** Seconds until {@link wait} makes another attempt, at least 1. */
  retryAfter(spacing?: number): number
  /** The error of the last attempt that has failed. */
  cause(): unknown
}

/** How a key set is fetched, and who takes it. */
export interface KeyAttemptsOptions {
  readonly load: () => Promise<KeySet>
  /** The milliseconds within which `load` succeeds or fails. */
  readonly timeout: number
  /** Takes the keys of an attempt. `at`: when the attempt began, in milliseconds since the epoch. */
  readonly take: (keys: KeySet, at: number) => void
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Keeps an attempt alive when the request that started it is cancelled. */
  readonly waitUntil: (promise: Promise<unknown>) => void
}

/** `ended` never rejects, but may never settle if the request that started the attempt was cancelled. */
interface Attempt {
  readonly at: number
  readonly ended: Promise<void>
  outcome?: 'taken' | 'failed' | 'abandoned'
  cause?: unknown
}

/** Milliseconds. */
const pauses = {
  first: 1_000,
  longest: 30_000,
  // The time in which the outcome of an attempt reaches the requests that wait for it.
  grace: 250,
}

/** Makes the attempts of one key set. The first one begins when it is asked for. */
export function createKeyAttempts(options: KeyAttemptsOptions): KeyAttempts {
  const { load, take, clock, waitUntil } = options
  const patience = options.timeout + pauses.grace
  let last: Attempt | undefined
  let failed: Attempt | undefined
  let failures = 0
  let pause = 0

  return {
    async wait(spacing) {
      await settle(spacing)
      return last?.outcome === 'taken'
    },
    start() {
      if (!underWay() && since(last) >= pause) {
        begin()
      }
    },
    // As long as requests come, the next attempt begins within the longest pause.
    failing: () => since(failed) < pauses.longest + patience,
    retryAfter: (spacing = pause) => Math.max(1, Math.ceil((spacing - since(last)) / 1000)),
    cause: () => last?.cause,
  }

  async function settle(spacing?: number): Promise<void> {
    for (let attempt = underWay(); attempt; attempt = underWay()) {
      await withDeadline(attempt.ended, patience - since(attempt), () => {})
      abandon(attempt)
      if (attempt.outcome !== 'abandoned') {
        return
      }
    }
    if (since(last) >= (spacing ?? pause)) {
      await begin().ended
    }
  }

  function begin(): Attempt {
    const attempt: Attempt = {
      at: clock(),
      ended: load().then(
        (keys) => succeed(attempt, keys),
        (cause) => fail(attempt, 'failed', cause),
      ),
    }
    last = attempt
    waitUntil(attempt.ended)
    return attempt
  }

  /** The attempt that has not ended. An attempt that has taken too long counts as abandoned. */
  function underWay(): Attempt | undefined {
    if (last && since(last) > patience) {
      abandon(last)
    }
    return last?.outcome ? undefined : last
  }

  function succeed(attempt: Attempt, keys: KeySet): void {
    if (attempt.outcome) {
      return
    }
    attempt.outcome = 'taken'
    failures = 0
    take(keys, attempt.at)
  }

  /** Each failure in a row doubles the pause before the next attempt. The pause is shortened at random. */
  function fail(attempt: Attempt, outcome: 'failed' | 'abandoned', cause: unknown): void {
    if (attempt.outcome) {
      return
    }
    attempt.outcome = outcome
    attempt.cause = cause
    failed = attempt
    pause = Math.min(pauses.longest, pauses.first * 2 ** failures) * jitter()
    failures += 1
  }

  /**
   * Gives up an attempt, because its promise never settles if the request that made it was cancelled. An attempt that has ended
   * keeps its outcome.
   */
  function abandon(attempt: Attempt): void {
    fail(attempt, 'abandoned', new Error('key set request was abandoned'))
  }

  function since(attempt: Attempt | undefined): number {
    return attempt ? clock() - attempt.at : Number.POSITIVE_INFINITY
  }
}

function jitter(): number {
  return 1 - Math.random() / 4
}
