import type { Engine } from '../lib/config.ts'

/** Leaves out what SQLite and the platform keep for themselves: a condition on the schema `m`. */
const ownOfD1 = `substr(m.name, 1, 7) <> 'sqlite_' AND substr(m.name, 1, 4) <> '_cf_'`

/** What databases spell and do otherwise in the statements of operators. */
interface Spelling {
  /** Finds each table (`name`), and for each column of it that refers to another, the column (`from`) and the other table (`table`). */
  readonly tables: string
}

/** What each of them spells. */
export const spellings: Readonly<Record<Engine, Spelling>> = {
  d1: {
    tables: `SELECT m.name, f."table", f."from" FROM sqlite_schema m LEFT JOIN pragma_foreign_key_list(m.name) f
      WHERE m.type = 'table' AND ${ownOfD1}`,
  },
  postgres: {
    tables: `SELECT t.relname AS name, r.relname AS "table", a.attname AS "from" FROM pg_class t
      LEFT JOIN pg_constraint f ON f.conrelid = t.oid AND f.contype = 'f'
      LEFT JOIN pg_class r ON r.oid = f.confrelid
      LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (f.conkey)
      WHERE t.relkind = 'r' AND t.relnamespace = to_regnamespace(current_schema()::text)`,
  },
}
