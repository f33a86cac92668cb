import { type Connection, countingUndone, deadlines } from '../db/connection.ts'
import type { Bound } from '../db/statement.ts'
import type { Usage } from '../jsonapi/run/store.ts'
import { ServerError } from './errors.ts'
import { type Origin, openWire, type Wire } from './wire.ts'

/** The connection of one call of the store. It is made when the first statements are sent. */
export interface PostgresConnection {
  readonly run: Connection
  /** Closes it, if it was made. Never rejects. */
  close(): Promise<void>
}

/**
 * Connects to PostgreSQL. Each run is one round trip, and one transaction: several statements are one block, which is serializable where
 * one of them writes, and sees one state of the database where none does. A single statement needs no block.
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
    try {
      const results = await inTime(async (milliseconds) => {
        before.push(...(isBlock ? [beginning(statements)] : []), settings(milliseconds))
        wire ??= openWire(origin, connecting.signal)
        return (await wire).run([...before, ...statements, ...(isBlock ? [commit] : [])])
      })
      isAborted = false
      const own = results.slice(before.length, before.length + statements.length)
      usage.rowsWritten += own.reduce((sum, { written }) => sum + written, 0)
      return own.map(({ rows }) => rows)
    } catch (error) {
      const open = error instanceof ServerError ? await wire : undefined
      isAborted = isBlock && open?.isOpen() === true
      if (!open?.isOpen()) {
        // Else the next run could take the answer to this one for its own.
        void drop()
      }
      throw error
    }
  }
  return {
    run: countingUndone(run, usage),
    async close() {
      if (isAborted) {
        // A pooler would close its own connection to the server otherwise.
        await (await wire)?.run([rollback]).catch(() => {})
      }
      await drop()
    },
  }
}

const rollback: Bound = { text: 'ROLLBACK', values: [] }
const commit: Bound = { text: 'COMMIT', values: [] }

/** Statements that change nothing. */
const reading = /^(?:SELECT|WITH)\b/

/** How a block begins. */
function beginning(statements: readonly Bound[]): Bound {
  const isReading = statements.every(({ text }) => reading.test(text))
  const isolation = isReading ? 'REPEATABLE READ READ ONLY' : 'SERIALIZABLE'
  return { text: `BEGIN ISOLATION LEVEL ${isolation}`, values: [] }
}

/**
 * What is sent before the statements of a transaction. Outside a block, `SET LOCAL` would bring a warning into the server's log.
 *
 * Rows by an index cost as much as others, wherever they are. Else the planner collects the rows of an index first, and sorts them:
 * all members of a resource, of which it expects as few as others have, where the first ones are shown.
 */
function settings(milliseconds: number): Bound {
  return {
    text: "SELECT set_config('statement_timeout', $1, true), set_config('random_page_cost', '1', true)",
    values: [milliseconds],
  }
}
