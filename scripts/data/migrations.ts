import { DatabaseSync } from 'node:sqlite'
import { migrationsIn } from '../deploy/schema.ts'
import { paths } from '../lib/config.ts'

/** The columns of all tables that the migrations of a folder make, as `table.column`. SQLite reads what both engines are told. */
function columnsOf(folder: string): readonly string[] {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of migrationsIn(folder)) {
    database.exec(sql)
  }
  const columns = database
    .prepare(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
        WHERE t.type = 'table' ORDER BY 1`,
    )
    .all()
  database.close()
  return columns.map(({ name }) => String(name))
}

/** Compares the columns that the migrations of D1 and of PostgreSQL make. @returns a phrase for each that only one of them has */
export function migrationDifferences(): readonly string[] {
  const [d1, postgres] = [columnsOf(paths.migrations), columnsOf(paths.postgresMigrations)]
  const lacking = (folder: string, has: readonly string[], all: readonly string[]) =>
    all.filter((column) => !has.includes(column)).map((column) => `${folder} lacks ${column}`)
  return [...lacking('migrations', d1, postgres), ...lacking('migrations/postgres', postgres, d1)]
}

/** A migration that drizzle-kit has written for D1, as PostgreSQL takes it. */
export function forPostgres(sql: string): string {
  return sql.replaceAll('`', '').replaceAll(/\) WITHOUT ROWID;/g, ');')
}
