import { getTableName, is, Placeholder, type SQL, sql } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { escapeParam, texts } from '#dialect'
import { putBounded } from '../lib/kept.ts'

/** A value that the database binds to a parameter. */
export type Bindable = string | number | null

/** SQL text with the names of its parameters in order. The text never holds a value of a request: values are bound. */
export interface Statement<Values> {
  readonly text: string
  readonly parameters: readonly (keyof Values & string)[]
}

/** SQL text with the values of its parameters in order. */
export interface Bound {
  readonly text: string
  readonly values: readonly Bindable[]
}

/** How the database spells what Drizzle's queries are made of. */
const spelling = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam,
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
}

/**
 * Compiles a query to a statement. Every value in the query must be a {@link param}.
 *
 * @throws Error when the query holds a value that is not a parameter
 */
export function compile<Values>(query: SQL): Statement<Values> {
  const { sql: text, params } = query.toQuery(spelling)
  return {
    text,
    parameters: params.map((parameter) => {
      if (!is(parameter, Placeholder)) {
        throw new Error('A statement holds a value instead of a parameter')
      }
      return parameter.name as keyof Values & string
    }),
  }
}

/**
 * Gives each parameter of a statement its value.
 *
 * @throws Error when a parameter has no value: only an explicit null is bound to NULL
 */
export function bind<Values extends { readonly [Name in keyof Values]: Bindable | undefined }>(
  { text, parameters }: Statement<Values>,
  values: Values,
): Bound {
  return {
    text,
    values: parameters.map((name) => {
      const value: Bindable | undefined = values[name]
      if (value === undefined) {
        throw new Error(`The parameter ${name} has no value: ${text}`)
      }
      return value
    }),
  }
}

/**
 * The most statements, or groups of them, that are remembered of one kind. To compile one takes 40 % of the CPU of a small read, and as
 * much as all else that a write does. Fields are sent in many combinations, so that the oldest are dropped.
 */
const mostRemembered = 500

/** Makes a memory: the function that gives what was made before for the same text, or else makes it. */
export function remembered<Made>(): (text: string, make: () => Made) => Made {
  const all = new Map<string, Made>()
  return (text, make) => {
    const known = all.get(text)
    if (known !== undefined) {
      return known
    }
    const made = make()
    putBounded(all, text, made, mostRemembered)
    return made
  }
}

/** The database, or a session of it. */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

/** A parameter inside a query, by the name of its value. */
export function param<Values>(name: keyof Values & string): SQL {
  return sql`${sql.placeholder(name)}`
}

/** A word or number of a declaration as SQL. */
export function literal(value: string | number): SQL {
  return sql`${value}`.inlineParams()
}

/** The texts of a parameter that holds a JSON array: a table with the column `value`. */
export function each<Values>(name: keyof Values & string): SQL {
  return texts(param(name))
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
export function tableName(table: SQLiteTable): SQL {
  return sql`${sql.identifier(getTableName(table))}`
}

/** Parts with commas between them. */
export function commas(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** The condition that all conditions hold; `TRUE` when there are none. */
export function all(conditions: readonly SQL[]): SQL {
  return conditions.length > 0 ? sql.join([...conditions], sql` AND `) : sql`TRUE`
}
