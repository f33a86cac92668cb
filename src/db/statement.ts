import { getTableName, type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'

/** A value that D1 binds to a parameter. */
export type Bindable = string | number | null

/** A parameter of a statement: picks its value from the values that the statement is bound to. */
export type Parameter<Values> = (values: Values) => Bindable | undefined

/** SQL text with its parameters in order. The text never holds a value of a request: values are bound. */
export interface Statement<Values> {
  readonly text: string
  readonly parameters: readonly Parameter<Values>[]
}

/** SQL text with the values of its parameters in order. */
export interface Bound {
  readonly text: string
  readonly values: readonly Bindable[]
}

/** Drizzle's dialect for SQLite. It only spells statements; D1 runs them. */
const dialect = new SQLiteAsyncDialect()

/**
 * Compiles a query to a statement. Every value in the query must be a {@link param}.
 *
 * @throws Error when the query holds a value that is not a parameter
 */
export function compile<Values>(query: SQL): Statement<Values> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return {
    text,
    parameters: params.map((parameter) => {
      if (typeof parameter !== 'function') {
        throw new Error('A statement holds a value instead of a parameter')
      }
      return parameter as Parameter<Values>
    }),
  }
}

/**
 * Gives each parameter of a statement its value.
 *
 * @throws Error when a parameter has no value: only an explicit null is bound to NULL
 */
export function bind<Values>({ text, parameters }: Statement<Values>, values: Values): Bound {
  return {
    text,
    values: parameters.map((parameter, index) => {
      const value = parameter(values)
      if (value === undefined) {
        throw new Error(`Parameter ${index + 1} has no value: ${text}`)
      }
      return value
    }),
  }
}

/** The database, or a session of it. */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

/** Prepares a statement with its values. */
export function prepare(db: Database, { text, values }: Bound): D1PreparedStatement {
  return db.prepare(text).bind(...values)
}

/** A parameter inside a query. */
export function param<Values>(parameter: Parameter<Values>): SQL {
  return sql`${sql.param(parameter)}`
}

/** The items of a parameter that holds a JSON array: a table with the column `value`. */
export function each<Values>(parameter: Parameter<Values>): SQL {
  return sql`json_each(${param(parameter)})`
}

/** A column of a table under an alias. */
export function at(alias: string, column: SQLiteColumn): SQL {
  return sql`${sql.identifier(alias)}.${sql.identifier(column.name)}`
}

/** The name of a column without its table. */
export function bare(column: SQLiteColumn): SQL {
  return sql`${sql.identifier(column.name)}`
}

/** The name of a table. */
export function nameOf(table: SQLiteTable): SQL {
  return sql`${sql.identifier(getTableName(table))}`
}

/** Parts with commas between them. */
export function commas(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** The condition that all conditions hold; `1` when there are none. */
export function all(conditions: readonly SQL[]): SQL {
  return conditions.length > 0 ? sql.join([...conditions], sql` AND `) : sql`1`
}
