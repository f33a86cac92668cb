import { getTableName, is } from 'drizzle-orm'
import { PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import {
  type SQLiteColumn,
  type SQLiteTable,
  getTableConfig as sqliteConfig,
} from 'drizzle-orm/sqlite-core'
import { counters } from '../../../src/db/counters.ts'
import { idempotencyKeys } from '../../../src/idempotency/stored-keys.ts'

/** The statements that make tables, with those that every service has. */
export function creationsOf(tables: readonly SQLiteTable[]): string[] {
  const all = [...tables, counters, idempotencyKeys].map(creationOf)
  return [...all.map(([creation]) => creation), ...all.flatMap(([, further]) => further)]
}

const quoted = (name: string | undefined) => `"${name?.replaceAll('"', '""')}"`

/** The statement that makes a table, and those that follow when all tables are there. */
function creationOf(table: SQLiteTable): readonly [creation: string, further: readonly string[]] {
  const isPg = is(table, PgTable)
  const config = isPg
    ? (pgConfig(table) as unknown as ReturnType<typeof sqliteConfig>)
    : sqliteConfig(table)
  const { name, columns, primaryKeys, foreignKeys, indexes } = config
  const listed = (all: readonly { readonly name: string }[]) => all.map((one) => quoted(one.name))
  const parts = columns.map((column) => {
    const held = column.default === undefined ? undefined : column.mapToDriverValue(column.default)
    const value = held === undefined ? '' : ` DEFAULT '${held}'`
    const key = column.primary ? ' PRIMARY KEY' : ''
    return `${quoted(column.name)} ${column.getSQLType()}${key}${column.notNull ? ' NOT NULL' : ''}${value}`
  })
  const keys = primaryKeys.map((key) => `PRIMARY KEY (${listed(key.columns)})`)
  const references = foreignKeys.map(({ reference, onDelete = 'no action' }) => {
    const { columns, foreignColumns, foreignTable } = reference()
    const target = `${quoted(getTableName(foreignTable))} (${listed(foreignColumns)})`
    return `FOREIGN KEY (${listed(columns)}) REFERENCES ${target} ON DELETE ${onDelete}`
  })
  const made = indexes.map(({ config: { name: index, unique, columns } }) => {
    const kind = unique ? 'UNIQUE INDEX' : 'INDEX'
    return `CREATE ${kind} ${quoted(index)} ON ${quoted(name)} (${listed(columns as SQLiteColumn[])})`
  })
  // SQLite has no foreign key that is added later, PostgreSQL none to a table that is made later.
  const added = isPg ? references.map((one) => `ALTER TABLE ${quoted(name)} ADD ${one}`) : []
  const all = [...parts, ...keys, ...(isPg ? [] : references)]
  return [`CREATE TABLE ${quoted(name)} (${all})`, [...made, ...added]]
}
