import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Database } from './database.ts'

/** SQLite as the part of D1 that loading takes. */
export function databaseOn(sqlite: DatabaseSync): Database {
  const statement = (sql: string, values: readonly unknown[] = []) => ({
    bind: (...given: unknown[]) => statement(sql, given),
    async raw() {
      const prepared = sqlite.prepare(sql)
      prepared.setReturnArrays(true)
      return prepared.all(...(values as SQLInputValue[])) as unknown as unknown[][]
    },
  })
  return {
    prepare: statement,
    async batch(statements) {
      for (const each of statements) {
        await each.raw()
      }
    },
  }
}
