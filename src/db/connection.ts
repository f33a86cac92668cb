import type { Usage } from '../jsonapi/store.ts'
import { type Bindings, type Database, prepare, type Statement } from './statement.ts'

/** A row as D1 returns it: the values of its columns, in their order. */
export type Row = readonly unknown[]

/** A statement with the values of its parameters. */
export interface Bound {
  readonly statement: Statement
  readonly bindings: Bindings
}

/** Runs statements in one round trip and one transaction; gives the rows of each. */
export type Connection = (statements: readonly Bound[]) => Promise<readonly (readonly Row[])[]>

/**
 * A connection that counts what it costs.
 *
 * @param metered also count the rows that D1 reads for a single statement. D1 tells them only with rows made
 * into objects, which is a tenth of the work of a page.
 */
export function connect(db: Database, usage: Usage, metered: boolean): Connection {
  return async (statements) => {
    const prepared = statements.map(({ statement, bindings }) => prepare(db, statement, bindings))
    const [only] = prepared
    usage.roundTrips++
    if (only && prepared.length === 1 && !metered) {
      return [await only.raw<unknown[]>()]
    }
    const results = await db.batch<object>(prepared)
    for (const { meta } of results) {
      usage.rowsRead += meta.rows_read ?? 0
      usage.rowsWritten += meta.rows_written ?? 0
      usage.attempts = Math.max(usage.attempts, meta.total_attempts ?? 1)
    }
    // D1 makes objects of batched rows; their members keep the order of the columns.
    return results.map((result) => result.results.map((row) => Object.values(row)))
  }
}
