import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { migrationsIn } from '../../../scripts/deploy/schema.ts'
import { paths } from '../../../scripts/lib/config.ts'

/** Every migration, in its order. */
export const migrations = migrationsIn(paths.migrations)

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

/** Adds a person who has nothing but an id and an owner. */
export function addUser(database: DatabaseSync, id: string, owner: string): void {
  database
    .prepare(
      `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
        VALUES (?1, ?2, ?1, ?1, ?1, ?1)`,
    )
    .run(id, owner)
}
