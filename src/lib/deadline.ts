/**
 * Waits for a promise until a deadline. The work behind the promise is not cancelled.
 *
 * @param milliseconds how long to wait
 * @param late gives the value after the deadline, or throws
 */
export type WithDeadline = <Value, Late = Value>(
  promise: PromiseLike<Value>,
  milliseconds: number,
  late: () => Late | PromiseLike<Late>,
) => Promise<Value | Late>

/** One timer for all waits of a request. */
export interface SharedTimer {
  readonly withDeadline: WithDeadline
  /** Clears the timer. Nothing may wait any more. */
  readonly end: () => void
}

/** A wait that has not ended. */
interface Wait {
  /** When its deadline is, in milliseconds since the epoch. */
  readonly dueMs: number
  /** Ends it at its deadline. */
  readonly late: () => void
}

/** The milliseconds after which a timer rings for the first time at the latest. Most requests are answered by then. */
const firstRingMs = 250

/**
 * Makes a timer for all waits of a request. It stays set between two waits, because to set and to clear a timer costs several times
 * as much as everything else about a wait.
 */
export function sharedTimer(): SharedTimer {
  const waits = new Set<Wait>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ringsMs = Number.POSITIVE_INFINITY

  function end(): void {
    if (timer !== undefined) {
      clearTimeout(timer)
    }
  }

  function set(nowMs: number, milliseconds: number): void {
    end()
    ringsMs = nowMs + milliseconds
    timer = setTimeout(ring, milliseconds)
  }

  /** Ends the waits that are due, and sets the timer for the next of the others. */
  function ring(): void {
    // A clock that has gone back must not prolong a wait.
    const nowMs = Math.max(Date.now(), ringsMs)
    ringsMs = Number.POSITIVE_INFINITY
    for (const wait of waits) {
      if (wait.dueMs <= nowMs) {
        waits.delete(wait)
        wait.late()
      }
    }
    if (waits.size > 0) {
      set(nowMs, Math.min(...[...waits].map(({ dueMs }) => dueMs)) - nowMs)
    }
  }

  return {
    withDeadline(promise, milliseconds, late) {
      // One promise, because every request waits for a few of these: an async function with a race makes five.
      return new Promise((resolve, reject) => {
        const nowMs = Date.now()
        // A promise takes what it is resolved with first, so that the end of the work changes nothing after this.
        const wait = { dueMs: nowMs + milliseconds, late: () => resolve(Promise.try(late)) }
        waits.add(wait)
        if (wait.dueMs < ringsMs) {
          set(nowMs, Math.min(milliseconds, firstRingMs))
        }
        promise.then(
          (value) => {
            waits.delete(wait)
            resolve(value)
          },
          (error) => {
            waits.delete(wait)
            reject(error)
          },
        )
      })
    },
    end,
  }
}

/** Waits for a promise until a deadline, as {@link WithDeadline} describes, with a timer of its own. */
export const withDeadline: WithDeadline = (promise, milliseconds, late) => {
  const { withDeadline, end } = sharedTimer()
  const ended = withDeadline(promise, milliseconds, late)
  ended.then(end, end)
  return ended
}
