import { getTableName, is, Placeholder, type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'

/** A value that D1 binds to a parameter. */
export type Bindable = string | number | null

/** Values of a statement's parameters by name. */
export type Bindings = Readonly<Record<string, Bindable>>

/** SQL text with the names of its parameters in order. The text is constant; values are only ever bound. */
export interface Statement {
  readonly text: string
  readonly parameters: readonly string[]
}

/** How Drizzle spells SQL for SQLite. It is used to spell statements, never to run them. */
const dialect = new SQLiteAsyncDialect()

/**
 * Compiles a query, once; every value in it must be a {@link param}.
 *
 * @throws Error when a value stands in the query itself
 */
export function compile(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return {
    text,
    parameters: params.map((parameter) => {
      if (!is(parameter, Placeholder)) {
        throw new Error('A statement holds a value instead of a parameter')
      }
      return parameter.name
    }),
  }
}

/** The database, or a session of it. */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

/** Prepares a statement with its values. */
export function prepare(
  db: Database,
  { text, parameters }: Statement,
  bindings: Bindings,
): D1PreparedStatement {
  return db.prepare(text).bind(...parameters.map((name) => bindings[name] ?? null))
}

/** A named parameter. */
export function param(name: string): SQL {
  return sql`${sql.placeholder(name)}`
}

/** The items of a parameter that holds a JSON array: a table with the column `value`. */
export function each(name: string): SQL {
  return sql`json_each(${param(name)})`
}

/** A column of a table under an alias. */
export function at(alias: string, column: SQLiteColumn): SQL {
  return sql`${sql.identifier(alias)}.${sql.identifier(column.name)}`
}

/** A column's bare name. */
export function bare(column: SQLiteColumn): SQL {
  return sql`${sql.identifier(column.name)}`
}

/** A table's name. */
export function nameOf(table: SQLiteTable): SQL {
  return sql`${sql.identifier(getTableName(table))}`
}

/** Parts with commas between them. */
export function commas(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** Conditions that must all hold; `1` when there are none. */
export function all(conditions: readonly SQL[]): SQL {
  return conditions.length > 0 ? sql.join([...conditions], sql` AND `) : sql`1`
}
