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
  /** Clears the timer. Waits that have not ended have no deadline from then on. */
  readonly end: () => void
}

/** A wait of a request. */
interface Wait {
  /** Has the promise settled? */
  hasEnded: boolean
  /** The milliseconds until its deadline, counted from `sinceMs`. */
  leftMs: number
  /** Up to when its time is counted, in milliseconds since the epoch. */
  sinceMs: number
  /** Ends it at its deadline. */
  readonly late: () => void
}

/**
 * The milliseconds after which a timer rings for the first time at the latest. Most requests are answered by then. Were it set for
 * the deadline of the first wait, which may be long, a shorter wait after it would have to set it again.
 */
const firstRingMs = 250

/**
 * Makes a timer for all waits of a request. It stays set between two waits, because to set and to clear a timer costs several times
 * as much as everything else about a wait. The clock tells only when a wait begins while the timer is set, so that a step of the clock
 * moves no deadline by more than the time that the timer is set for then.
 */
export function sharedTimer(): SharedTimer {
  // The waits that have ended stay until the timer rings, because to take each of them out costs more than a flag.
  let waits: Wait[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let [setMs, lengthMs] = [0, 0]

  function end(): void {
    if (timer !== undefined) {
      clearTimeout(timer)
      timer = undefined
    }
  }

  function set(nowMs: number, milliseconds: number): void {
    end()
    setMs = nowMs
    lengthMs = milliseconds
    timer = setTimeout(ring, milliseconds)
  }

  /** Takes the time off each wait that has passed since the timer was set, or since the wait began. */
  function pass(nowMs: number, passed: (wait: Wait) => number): void {
    for (const wait of waits) {
      wait.leftMs -= passed(wait)
      wait.sinceMs = nowMs
    }
  }

  function byClock(nowMs: number, { sinceMs }: Wait): number {
    return Math.min(Math.max(0, nowMs - sinceMs), lengthMs)
  }

  /** Ends the waits that are due, and sets the timer for the next of the others. */
  function ring(): void {
    const nowMs = Date.now()
    pass(nowMs, (wait) => (wait.sinceMs === setMs ? lengthMs : byClock(nowMs, wait)))
    timer = undefined
    const lasting = waits.filter(({ hasEnded }) => !hasEnded)
    waits = lasting.filter(({ leftMs }) => leftMs > 0)
    if (waits.length > 0) {
      set(nowMs, Math.min(...waits.map(({ leftMs }) => leftMs)))
    }
    for (const wait of lasting) {
      if (wait.leftMs <= 0) {
        wait.late()
      }
    }
  }

  return {
    withDeadline(promise, milliseconds, late) {
      // One promise, because every request waits for a few of these: an async function with a race makes five.
      return new Promise((resolve, reject) => {
        const nowMs = Date.now()
        if (timer === undefined || nowMs + milliseconds < setMs + lengthMs) {
          pass(nowMs, (wait) => byClock(nowMs, wait))
          set(nowMs, Math.min(milliseconds, firstRingMs))
        }
        const wait = {
          hasEnded: false,
          leftMs: milliseconds,
          sinceMs: nowMs,
          // A promise takes what it is resolved with first, so that the end of the work changes nothing after this.
          late: () => resolve(Promise.try(late)),
        }
        waits.push(wait)
        promise.then(
          (value) => {
            wait.hasEnded = true
            resolve(value)
          },
          (error) => {
            wait.hasEnded = true
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
