import type { Usage } from '../jsonapi/run/port.ts'
import { withDeadline } from '../lib/deadline.ts'

/** The calls of the database that one request makes. */
export interface Calls {
  readonly usage: Usage
  /**
   * Makes one round trip, or one transaction. Counts it, and waits no longer than its deadline.
   *
   * @param send makes the call; its parameter is the time that it may take
   * @throws DatabaseDeadline if the answer does not come in time
   */
  readonly call: <Value>(send: (milliseconds: number) => Promise<Value>) => Promise<Value>
}

/** The time for all calls of a request together, in deadlines. The pauses between them do not count. */
const deadlinesInAll = 2

/** The database has not answered in time. Whether it carries out what was sent is not known. */
export class DatabaseDeadline extends Error {
  override readonly name: string = 'DatabaseDeadline'
}

/** The time of the request was over before the call: nothing was sent. */
export class NotSent extends DatabaseDeadline {
  override readonly name = 'NotSent'
}

/** Makes the {@link Calls} of one request. */
export function newCalls(deadlineMs: number): Calls {
  const inAll = deadlinesInAll * deadlineMs
  const usage = { roundTrips: 0, attempts: 0 }
  let left = inAll
  return {
    usage,
    call(send) {
      if (left <= 0) {
        throw new NotSent(`The calls of the database have used up the ${inAll} ms of a request`)
      }
      const start = Date.now()
      const milliseconds = Math.min(deadlineMs, left)
      usage.roundTrips++
      const answer = withDeadline(send(milliseconds), milliseconds, () => {
        throw new DatabaseDeadline(`The database has not answered within ${milliseconds} ms`)
      })
      return answer.finally(() => {
        left -= Date.now() - start
      })
    },
  }
}
