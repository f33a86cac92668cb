import type { DatabaseSync } from 'node:sqlite'
import type { Database, Row } from '../../../../scripts/operate/database.ts'

/**
 * A database of SQLite, as operators' commands see one of D1. What it was told stands in `commands`.
 *
 * @param before is called before anything is written
 */
export function databaseOn(
  sqlite: DatabaseSync,
  before: () => void = () => {},
): Database & { readonly commands: string[] } {
  const commands: string[] = []
  return {
    engine: 'd1',
    isLocal: true,
    name: 'the database',
    commands,
    async query(statements) {
      commands.push(statements.join(';\n'))
      if (statements.some((sql) => !sql.startsWith('SELECT'))) {
        before()
      }
      return statements.map((sql) => sqlite.prepare(sql).all() as Row[])
    },
  }
}
