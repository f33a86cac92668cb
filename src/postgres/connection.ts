import { type Connection, DatabaseDeadline, deadlines, NotSent } from '../db/connection.ts'
import type { Bound } from '../db/statement.ts'
import type { Usage } from '../jsonapi/run/store.ts'
import { withDeadline } from '../lib/deadline.ts'
import { isCollision, NotConnected, ServerError } from './errors.ts'
import { type Origin, openWire, type Wire } from './wire.ts'

/** The connection of one call of the store. It is made when the first statements are sent. */
export interface PostgresConnection {
  readonly run: Connection
  /** Closes it, if it was made. Never rejects. */
  close(): Promise<void>
}

/**
 * Connects to PostgreSQL. Each run is one round trip, and one transaction: several statements are one block, which is serializable where
 * one of them writes, and sees one state of the database where none does. A single statement needs no block. A block that the server has
 * undone because of another one waits for its turn when it is sent again.
 *
 * The server ends a statement itself at the deadline, so that what nobody waits for any more does not go on.
 */
export function connectPostgres(
  origin: Origin,
  usage: Usage,
  deadlineMs: number,
): PostgresConnection {
  const inTime = deadlines('PostgreSQL', usage, deadlineMs)
  let wire: Promise<Wire> | undefined
  let connecting = new AbortController()
  /** Is a block of the connection still open, since one of its statements has failed? */
  let isAborted = false
  /** Has the server undone a block of the connection, because it and another one were in each other's way? */
  let isCrowded = false
  const drop = async (): Promise<void> => {
    const dropped = wire
    wire = undefined
    connecting.abort()
    connecting = new AbortController()
    await dropped?.then(
      (open) => open.close(),
      () => {},
    )
  }
  const run: Connection = async (statements) => {
    const isBlock = statements.length > 1
    const before = isAborted ? [rollback] : []
    const { signal } = connecting
    /** Milliseconds that the statements may wait for a connection; undefined before they do, and once they are sent. */
    let waiting: number | undefined
    try {
      const results = await inTime(async (milliseconds) => {
        before.push(
          ...(isBlock ? blockOf(statements, milliseconds, isCrowded) : settings(milliseconds)),
        )
        waiting = milliseconds
        wire ??= openWire(origin, signal)
        const open = await wire
        if (signal.aborted) {
          // Whoever has given up says that nothing was sent.
          throw new NotConnected('The connection to PostgreSQL comes too late')
        }
        waiting = undefined
        return open.run([...before, ...statements, ...(isBlock ? [commit] : [])])
      })
      isAborted = false
      const own = results.slice(before.length, before.length + statements.length)
      return own.map(({ rows }) => rows)
    } catch (error) {
      const open = error instanceof ServerError ? await wire : undefined
      isAborted = isBlock && open?.isOpen() === true
      isCrowded ||= isCollision(error)
      if (!open?.isOpen()) {
        // Else the next run could take the answer to this one for its own.
        void drop()
      }
      if (waiting !== undefined && error instanceof DatabaseDeadline) {
        throw new NotSent(
          `PostgreSQL has not answered within ${waiting} ms; no statement was sent, since there is no connection`,
        )
      }
      throw error
    }
  }
  return {
    run,
    async close() {
      const open = isAborted ? await wire : undefined
      if (open) {
        // A pooler would close its own connection to the server otherwise.
        await withDeadline(open.run([rollback]), deadlineMs, () => []).catch(() => {})
      }
      await drop()
    },
  }
}

const rollback: Bound = { text: 'ROLLBACK', values: [] }
const commit: Bound = { text: 'COMMIT', values: [] }

/** Statements that change nothing. */
const reading = /^(?:SELECT|WITH)\b/

/**
 * Waits for its turn among transactions that were undone before. Without it, each one that is done undoes all others that change the same
 * row. `LOCK TABLE` alone takes no snapshot: the transaction sees what those before it have done. The lock keeps nobody from reading or
 * writing. It keeps `VACUUM` away, which a table that is never written does without.
 */
const turn: Bound = { text: 'LOCK TABLE countries IN SHARE UPDATE EXCLUSIVE MODE', values: [] }

/**
 * What the planner takes for the cost of a row that an index leads to; 1 is that of any other row. By its usual 4 it reads all members of a
 * resource and sorts them, where only the first ones are shown: it expects as few as others have.
 */
const indexedRowCost = 'random_page_cost'

/** How a block begins. */
function blockOf(statements: readonly Bound[], milliseconds: number, isCrowded: boolean): Bound[] {
  const isReading = statements.every(({ text }) => reading.test(text))
  const isolation = isReading ? 'REPEATABLE READ READ ONLY' : 'SERIALIZABLE'
  return [
    { text: `BEGIN ISOLATION LEVEL ${isolation}`, values: [] },
    { text: `SET LOCAL statement_timeout = ${milliseconds}`, values: [] },
    { text: `SET LOCAL ${indexedRowCost} = 1`, values: [] },
    ...(isCrowded && !isReading ? [turn] : []),
  ]
}

/** What is sent before a single statement, and is one transaction with it: `SET LOCAL` would bring a warning into the server's log. */
function settings(milliseconds: number): Bound[] {
  return [
    {
      text: `SELECT set_config('statement_timeout', $1, true), set_config('${indexedRowCost}', '1', true)`,
      values: [milliseconds],
    },
  ]
}
