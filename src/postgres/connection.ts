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
  const drop = async (): Promise<void> => {
    const dropped = wire
    wire = undefined
    await dropped?.then(
      (open) => open.close(),
      () => {},
    )
  }
  const run: Connection = async (statements) => {
    const isBlock = statements.length > 1
    try {
      const results = await inTime(async (milliseconds) => {
        wire ??= openWire(origin)
        return (await wire).run(
          isBlock ? block(statements, milliseconds) : single(statements, milliseconds),
        )
      })
      const own = isBlock ? results.slice(2, -1) : results.slice(1)
      usage.rowsWritten += own.reduce((sum, { written }) => sum + written, 0)
      return own.map(({ rows }) => rows)
    } catch (error) {
      const open = error instanceof ServerError ? await wire : undefined
      if (!open?.isOpen()) {
        // Else the next run could take the answer to this one for its own.
        void drop()
      } else if (isBlock) {
        // Sent along with whatever comes next, or before the end.
        open.run([rollback]).catch(() => {})
      }
      throw error
    }
  }
  return { run: countingUndone(run, usage), close: drop }
}

const rollback: Bound = { text: 'ROLLBACK', values: [] }
const commit: Bound = { text: 'COMMIT', values: [] }

/** Statements that change nothing. */
const reading = /^(?:SELECT|WITH)\b/

function block(statements: readonly Bound[], milliseconds: number): Bound[] {
  const isReading = statements.every(({ text }) => reading.test(text))
  const isolation = isReading ? 'REPEATABLE READ READ ONLY' : 'SERIALIZABLE'
  return [
    { text: `BEGIN ISOLATION LEVEL ${isolation}`, values: [] },
    { text: `SET LOCAL statement_timeout = ${milliseconds}`, values: [] },
    ...statements,
    commit,
  ]
}

/** A single statement is a transaction, with what is sent along with it. A parallel plan would not keep the order of a union. */
function single(statements: readonly Bound[], milliseconds: number): Bound[] {
  return [
    {
      text: "SELECT set_config('statement_timeout', $1, true), set_config('max_parallel_workers_per_gather', '0', true)",
      values: [milliseconds],
    },
    ...statements,
  ]
}
