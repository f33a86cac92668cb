import { DrizzleQueryError } from 'drizzle-orm'
import type { Usage } from '../jsonapi/run/port.ts'
import { withDeadline } from '../lib/deadline.ts'

/**
 * Makes one round trip to the database, or one transaction. Counts it, and waits no longer than its deadline.
 *
 * @param send makes the call; its parameter is the time that it may take
 * @throws DatabaseDeadline where the answer does not come in time
 */
export type Call = <Value>(send: (milliseconds: number) => Promise<Value>) => Promise<Value>

/** How many deadlines long all calls of a request may take together. The pauses between them do not count. */
const deadlinesInAll = 2

/** The database has not answered in time. Whether it carries out what was sent is not known. */
export class DatabaseDeadline extends Error {
  override readonly name: string = 'DatabaseDeadline'
}

/** The time of the request was over before the call: nothing was sent. */
export class NotSent extends DatabaseDeadline {
  override readonly name = 'NotSent'
}

/** The usage of a request before its first call. */
export function newUsage(): Usage {
  return { roundTrips: 0, attempts: 1 }
}

/** Makes the function that makes the calls of one request. It adds to `usage`. */
export function createCall(usage: Usage, deadlineMs: number): Call {
  const inAll = deadlinesInAll * deadlineMs
  let left = inAll
  return (send) => {
    if (left <= 0) {
      throw new NotSent(`The calls of the database have used up the ${inAll} ms of a request`)
    }
    const start = Date.now()
    const milliseconds = Math.min(deadlineMs, left)
    usage.roundTrips++
    const answer = withDeadline(send(milliseconds).catch(withoutParameters), milliseconds, () => {
      throw new DatabaseDeadline(`The database has not answered within ${milliseconds} ms`)
    })
    return answer.finally(() => {
      left -= Date.now() - start
    })
  }
}

/** Throws the error of the driver: the message of Drizzle's own holds the parameters of the query, which no log may have. */
function withoutParameters(error: unknown): never {
  throw error instanceof DrizzleQueryError ? error.cause : error
}
