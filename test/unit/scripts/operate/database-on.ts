import type { DatabaseSync } from 'node:sqlite'
import type { Database, Row } from '../../../../scripts/operate/database.ts'
import { textOf } from '../../../support/databases.ts'

/**
 * A database of SQLite, as operators' commands see one of D1.
 *
 * @param before is called before anything is written
 */
export function databaseOn(sqlite: DatabaseSync, before: () => void = () => {}): Database {
  return {
    isLocal: true,
    name: 'the database',
    async query(statements) {
      const texts = statements.map(textOf)
      if (texts.some(([sql]) => !sql.startsWith('select'))) {
        before()
      }
      return texts.map(([sql, ...values]) => sqlite.prepare(sql).all(...values) as Row[])
    },
    async close() {},
  }
}
