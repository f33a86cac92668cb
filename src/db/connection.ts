import type { Usage } from '../jsonapi/run/store.ts'
import { withDeadline } from '../lib/deadline.ts'
import { type Bound, type Database, prepare } from './statement.ts'

/** A row as D1 returns it: the values of its columns, in their order. */
export type Row = readonly unknown[]

/**
 * Runs statements in one round trip and one transaction; gives the rows of each.
 * Rejects with {@link DatabaseDeadline} when D1 does not answer in time.
 */
export type Connection = (statements: readonly Bound[]) => Promise<readonly (readonly Row[])[]>

/** How a connection behaves. */
export interface ConnectionOptions {
  /**
   * Also count the rows that D1 reads for a single statement. D1 tells them only with rows made into objects, which is
   * a tenth of the work of a page.
   */
  readonly metered: boolean
  /** Milliseconds that one call may take (contract, section 14). All calls together may take twice that. */
  readonly deadlineMs: number
}

/** How many deadlines all calls of a connection may take together, from the first one on. */
const wholeDeadlines = 2

/** D1 has not answered in time. What was sent to it may be done all the same, before or after this error. */
export class DatabaseDeadline extends Error {
  override readonly name = 'DatabaseDeadline'
}

/** What a connection has cost before its first call. */
export function newUsage(): Usage {
  return { roundTrips: 0, rowsRead: 0, rowsWritten: 0, attempts: 1 }
}

/** A connection for one request, which counts what it costs and waits for D1 no longer than its deadlines. */
export function connect(
  db: Database,
  usage: Usage,
  { metered, deadlineMs }: ConnectionOptions,
): Connection {
  const timeLeft = timer(deadlineMs)
  const inTime = <Value>(send: () => Promise<Value>): Promise<Value> => {
    const milliseconds = timeLeft()
    usage.roundTrips++
    return withDeadline(send(), milliseconds, () => {
      throw new DatabaseDeadline(
        `D1 has not answered within ${milliseconds} ms; whether its statements were carried out is not known`,
      )
    })
  }
  return async (statements) => {
    const prepared = statements.map((bound) => prepare(db, bound))
    const [only] = prepared
    if (only && prepared.length === 1 && !metered) {
      return [await inTime(() => only.raw<unknown[]>())]
    }
    const results = await inTime(() => db.batch<object>(prepared))
    for (const { meta } of results) {
      usage.rowsRead += meta.rows_read ?? 0
      usage.rowsWritten += meta.rows_written ?? 0
      usage.attempts = Math.max(usage.attempts, meta.total_attempts ?? 1)
    }
    // D1 makes objects of batched rows; their members keep the order of the columns.
    return results.map((result) => result.results.map((row) => Object.values(row)))
  }
}

/** Tells before each call how many milliseconds it may take; throws where none are left, so that it is not sent. */
function timer(deadlineMs: number): () => number {
  const whole = wholeDeadlines * deadlineMs
  let start: number | undefined
  return () => {
    const now = Date.now()
    start ??= now
    const left = whole - (now - start)
    if (left <= 0) {
      throw new DatabaseDeadline(
        `D1 has used up the ${whole} ms of a request; its next call was not sent`,
      )
    }
    return Math.min(deadlineMs, left)
  }
}
