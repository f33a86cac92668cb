import { type SQL, sql } from 'drizzle-orm'
import { messageOf } from '../lib/messages.ts'

/*
 * What D1, which is SQLite, spells and does otherwise than PostgreSQL. Statements import `#dialect`: that is this file (package.json), or
 * `src/postgres/dialect.ts` with the same exports in a build for PostgreSQL (wrangler.postgres.toml). A bundle holds one of them.
 */

/** How a parameter is spelled. */
export const escapeParam = (_index: number): string => '?'

/** The texts in a JSON array: a table with the column `value`. */
export const texts = (list: SQL): SQL => sql`json_each(${list})`

/** The objects in a JSON array: a table with the columns `value` and `key`, which is the index. */
export const objects = (list: SQL): SQL => texts(list)

/** The texts in an array inside JSON, at a path of members: a table with the column `value`. There are none where it is absent. */
export const textsAt = (json: SQL, path: readonly string[]): SQL =>
  sql`json_each(${json}, ${jsonPath(path)})`

/** The members of an object inside JSON: a table with the columns `key` and `value`, which are texts. */
export const membersAt = (json: SQL, path: readonly string[]): SQL => textsAt(json, path)

/** The number of items of an array inside JSON; 0 where it is absent. `json_array_length` looks at none of them. */
export const countAt = (json: SQL, path: readonly string[]): SQL =>
  sql`coalesce(json_array_length(${json}, ${jsonPath(path)}), 0)`

/** Is a member inside JSON true, or absent? */
export const isTrueAt = (json: SQL, path: readonly string[]): SQL =>
  sql`coalesce(${json} ->> ${jsonPath(path)}, 1)`

function jsonPath(path: readonly string[]): SQL {
  return sql`${`$${path.map((member) => `."${member}"`).join('')}`}`.inlineParams()
}

/** Joins a table, in the order of the text from left to right. */
export const join: SQL = sql.raw('CROSS JOIN')

/** The column that a few rows are sorted by. They are joined first, so that no index of it is walked along. */
export const unindexed = (column: SQL): SQL => column

/**
 * The order of rows that come from a table in WITH, or by a union. SQLite keeps the order that the table was made in, and takes the
 * queries of a union one after the other; to sort them once more would take a page 6 to 20 % longer.
 */
export const ordered = (_order: SQL): SQL => sql``

/** A query in an ordered union. SQLite goes along both in their order, and looks at no row behind the last one of the union. */
export const spanOf = (query: SQL, _order: SQL): SQL => query

/** Texts of rows with commas between them. The rows come in the order that they shall have: to say it again takes 25 to 40 % longer. */
export const joinedTexts = (text: SQL, _order: SQL): SQL => sql`group_concat(${text})`

/** The lesser one of two numbers. */
export const lesser = (one: SQL, other: SQL): SQL => sql`min(${one}, ${other})`

/** A value that is no text as a column of a row. */
export const asColumn = (value: SQL): SQL => value

/** A condition as a column of a row: 1 where it holds. */
export const asFlag = (condition: SQL): SQL => condition

/** Does a page that skips rows pick the ids of its own first? SQLite skips rows before it looks at what is selected of them. */
export const picksFirst = false

/**
 * Ends the transaction with a failure whose message holds a text, in quotes. It is NULL and does nothing for NULL. SQLite has RAISE
 * in triggers only, but `json_extract` fails for a path that is not valid, and its message repeats the path.
 */
export const failing = (text: SQL): SQL => sql`json_extract('{}', ${text})`

/** The value of a counter. */
export const counted = (counter: SQL): SQL =>
  sql`(SELECT value FROM counters WHERE name = ${counter})`

/** The statement that adds to a counter where a condition holds. */
export const counting = (counter: SQL, change: 1 | -1, condition: SQL): SQL =>
  sql`UPDATE counters SET value = value ${sql.raw(change > 0 ? '+ 1' : '- 1')} WHERE name = ${counter} AND ${condition}`

/** Did a constraint cause the error? */
export function violatesConstraint(error: unknown): boolean {
  return /(FOREIGN KEY|UNIQUE|NOT NULL) constraint failed/.test(messageOf(error))
}

/** The attempts of a write: how many at most, and within how many milliseconds of the first one another may begin (contract, section 14). */
export const attempts = { most: 3, budget: 2_000 }

/**
 * Messages of failures of D1 after which the same statements may be sent again, because their writes were either rolled back
 * or committed as a whole. A missed deadline is not among them, because the statements may still be running.
 */
const transient = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue on remote node',
  "Can't read from request stream because client disconnected",
]

/** May the statements be sent again after this error? */
export function isTransient(error: unknown): boolean {
  const message = messageOf(error)
  return transient.some((text) => message.includes(text))
}

/** Has the failed attempt surely written nothing? D1 does not tell. */
export const isUndone = (_error: unknown): boolean => false
