import type { Usage } from '../jsonapi/run/port.ts'
import { withDeadline } from '../lib/deadline.ts'

/** The calls of the database that one request makes. */
export type Calls = ReturnType<typeof newCalls>

/** How many times the deadline of one call all calls and pauses of a request may take together. */
const deadlinesInAll = 2

/** The database has not answered in time. Whether it carries out what was sent is not known. */
export class DatabaseDeadline extends Error {
  override readonly name: string = 'DatabaseDeadline'
}

/** No time of the request is left for a call: nothing was sent. */
export class NotSent extends DatabaseDeadline {
  override readonly name = 'NotSent'
}

/** Makes the {@link Calls} of one request. */
export function newCalls(deadlineMs: number) {
  const inAll = deadlinesInAll * deadlineMs
  const usage: Usage = { roundTrips: 0, attempts: 0 }
  let end: number | undefined
  /** The time that is left after a pause. The first call begins it. */
  const leftAfter = (pause: number): number => {
    end ??= Date.now() + inAll
    const left = end - Date.now() - pause
    if (left <= 0) {
      throw new NotSent(`The database has used up the ${inAll} ms of a request`)
    }
    return left
  }
  return {
    usage,
    /**
     * Makes one round trip, or one transaction. Counts it, and waits no longer than its deadline.
     *
     * @throws DatabaseDeadline if the answer does not come in time
     */
    call<Value>(send: () => Promise<Value>): Promise<Value> {
      const milliseconds = Math.min(deadlineMs, leftAfter(0))
      usage.roundTrips++
      return withDeadline(send(), milliseconds, () => {
        throw new DatabaseDeadline(`The database has not answered within ${milliseconds} ms`)
      })
    },
    /**
     * Waits before the next call.
     *
     * @throws NotSent if the request would have no time left after it
     */
    async pause(milliseconds: number): Promise<void> {
      leftAfter(milliseconds)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
    },
  }
}
