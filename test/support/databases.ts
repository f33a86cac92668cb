import type { SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { TestHarness } from 'wrangler'
import { migrationsIn } from '../../scripts/deploy/schema.ts'
import { cardsUnder } from '../../scripts/lib/cards.ts'
import { paths } from '../../scripts/lib/config.ts'
import { demoStatements } from '../../scripts/start/demo.ts'
import type { SqlStatement } from './back-door.ts'
import { askBackDoor } from './back-door-client.ts'
import { cardKeys } from './card-keys.ts'

/** Runs statements in one transaction; the rows of each. */
export type DatabaseBatch = (
  statements: readonly SqlStatement[],
) => Promise<readonly (readonly Record<string, unknown>[])[]>

/** A kind of database that the service runs on. */
export interface DatabaseKind {
  readonly name: 'D1' | 'PostgreSQL'
  /** The configuration of wrangler whose Worker uses it. */
  readonly config: string
  /** Variables of the Workers under test. */
  readonly vars?: Readonly<Record<string, string>>
  /**
   * Prepares an own database for a Worker that is about to start. The function that it gives is called once the harness runs, and has
   * the demo data in the database.
   */
  prepare(): Promise<(harness: TestHarness) => Promise<DatabaseBatch>>
  /** Removes all of them. */
  close(): Promise<void>
}

const dialect = new SQLiteAsyncDialect()

/** A statement of Drizzle as a text, in which each parameter has its number. */
export function textOf(statement: SQL): SqlStatement {
  const { sql, params } = dialect.sqlToQuery(statement)
  let nth = 0
  return [sql.replaceAll('?', () => `?${++nth}`), ...(params as (string | number | null)[])]
}

/** The statements that insert the demo people, with cards sealed under the key ring of the tests. */
export async function demoData(): Promise<readonly SqlStatement[]> {
  return (await demoStatements(cardsUnder(cardKeys).seal)).map(textOf)
}

/** D1, which each Worker brings along. */
export const d1: DatabaseKind = {
  name: 'D1',
  config: paths.wranglerConfig,
  async prepare() {
    const migrations = migrationsIn(paths.migrations).map(({ sql }) => [sql] as const)
    const statements = [...migrations, ...(await demoData())]
    return async (harness) => {
      const batch: DatabaseBatch = (statements) => askBackDoor(harness, statements)
      await batch(statements)
      return batch
    }
  },
  async close() {},
}
