import type { Usage } from '../jsonapi/run/store.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Bound, Database } from './statement.ts'

/** A row as the database returns it: the values of its columns, in their order. */
export type Row = readonly unknown[]

/**
 * Runs statements in one round trip and one transaction, and gives the rows of each. Rejects with {@link DatabaseDeadline}
 * when the database does not answer in time.
 */
export type Connection = (statements: readonly Bound[]) => Promise<readonly (readonly Row[])[]>

/** How a connection behaves. */
export interface ConnectionOptions {
  /** Milliseconds that one call may take (contract, section 14). All calls of a connection may take twice as long together. */
  readonly deadlineMs: number
}

/** How many deadlines long all calls of a connection may take together, counted from the first call. */
const wholeDeadlines = 2

/** The database has not answered in time. It may still carry out, or have carried out, the statements that were sent. */
export class DatabaseDeadline extends Error {
  override readonly name: string = 'DatabaseDeadline'
}

/** The deadline has passed before the statements of a call were sent: none of them is carried out. */
export class NotSent extends DatabaseDeadline {
  override readonly name = 'NotSent'
}

/** The usage of a connection before its first call. */
export function newUsage(): Usage {
  return { roundTrips: 0, attempts: 1, undone: 0, undoneMs: 0 }
}

/** Makes the connection of one request. It adds to `usage`, and waits for D1 no longer than its deadlines. */
export function connect(db: Database, usage: Usage, { deadlineMs }: ConnectionOptions): Connection {
  const inTime = deadlines('D1', usage, deadlineMs)
  return async (statements) => {
    const prepared = statements.map(({ text, values }) => db.prepare(text).bind(...values))
    const [only] = prepared
    if (only && prepared.length === 1) {
      return [await inTime(() => only.raw<unknown[]>())]
    }
    const results = await inTime(() => db.batch<object>(prepared))
    for (const { meta } of results) {
      usage.attempts = Math.max(usage.attempts, meta.total_attempts ?? 1)
    }
    // D1 makes objects of batched rows; their members keep the order of the columns.
    return results.map((result) => result.results.map((row) => Object.values(row)))
  }
}

/**
 * Makes the function that sends a call, counts it, and waits for it no longer than its deadline. It throws NotSent where the whole
 * time of a request is used up before.
 *
 * @param database what is called, for the messages of errors
 */
export function deadlines(
  database: string,
  usage: Usage,
  deadlineMs: number,
): <Value>(send: (milliseconds: number) => Promise<Value>) => Promise<Value> {
  const whole = wholeDeadlines * deadlineMs
  let end: number | undefined
  return (send) => {
    const now = Date.now()
    end ??= now + whole
    if (now >= end) {
      throw new NotSent(
        `The calls of ${database} have used up the ${whole} ms of a request; its next call was not sent`,
      )
    }
    const milliseconds = Math.min(deadlineMs, end - now)
    usage.roundTrips++
    return withDeadline(send(milliseconds), milliseconds, () => {
      throw new DatabaseDeadline(
        `${database} has not answered within ${milliseconds} ms; whether its statements were carried out is not known`,
      )
    })
  }
}
