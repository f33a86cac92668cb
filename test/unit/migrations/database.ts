import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'

const folder = new URL('../../../migrations/', import.meta.url)

/** Every migration, in the order that wrangler applies them in: by name. */
export const migrations: readonly { readonly name: string; readonly sql: string }[] = readdirSync(
  folder,
)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }))

/** A database of its own in memory, migrated, foreign keys on as in D1. */
export function migratedDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  for (const { sql } of migrations) {
    database.exec(sql)
  }
  return database
}

/** The rows of one query. */
export const rowsOf = (database: DatabaseSync, sql: string): Record<string, SQLOutputValue>[] =>
  database.prepare(sql).all()

/** The first column of the first row of one query. Throws where there is no row. */
export function singleValue(database: DatabaseSync, sql: string): SQLOutputValue | undefined {
  const [row] = rowsOf(database, sql)
  if (row === undefined) {
    throw new Error(`no row: ${sql}`)
  }
  return Object.values(row)[0]
}

/** Adds rows to a table. */
export function insert(
  database: DatabaseSync,
  table: string,
  ...rows: readonly Readonly<Record<string, SQLInputValue>>[]
): void {
  for (const row of rows) {
    const names = Object.keys(row)
    const values = names.map(() => '?')
    database
      .prepare(`INSERT INTO ${table} (${names}) VALUES (${values})`)
      .run(...Object.values(row))
  }
}

/** Adds people who have nothing but the ids given, in one statement. */
export function addUsers(database: DatabaseSync, ...ids: readonly string[]): void {
  const values = ids.map((id) => `('${id}', 'owner', '${id}', '${id}', '${id}', '${id}')`)
  database.exec(
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key) VALUES ${values.join()}`,
  )
}
