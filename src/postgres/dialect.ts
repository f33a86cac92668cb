import { type SQL, sql } from 'drizzle-orm'
import { isCollision, LostConnection, NotConnected, ServerError } from './errors.ts'

/* What PostgreSQL spells and does otherwise than D1: the exports of `src/db/dialect.ts`, which tells what each of them is. */

/** Parameters are numbered. */
export const escapeParam = (index: number): string => `$${index + 1}`

/** The texts in a JSON array. */
export const texts = (list: SQL): SQL => sql`jsonb_array_elements_text(${list}::jsonb)`

/** The objects in a JSON array, with their indexes. */
export const objects = (list: SQL): SQL =>
  sql`(SELECT value, place - 1 AS key
    FROM jsonb_array_elements(${list}::jsonb) WITH ORDINALITY AS item (value, place)) AS items`

/** The texts in an array inside JSON. */
export const textsAt = (json: SQL, path: readonly string[]): SQL =>
  sql`jsonb_array_elements_text(${memberAt(json, path)})`

/** The members of an object inside JSON. */
export const membersAt = (json: SQL, path: readonly string[]): SQL =>
  sql`jsonb_each_text(${memberAt(json, path)})`

/** The number of items of an array inside JSON. */
export const countAt = (json: SQL, path: readonly string[]): SQL =>
  sql`coalesce(jsonb_array_length(${memberAt(json, path)}), 0)`

/** Is a member inside JSON true, or absent? */
export const isTrueAt = (json: SQL, path: readonly string[]): SQL =>
  sql`coalesce(${memberAt(json, path)}::boolean, TRUE)`

function memberAt(json: SQL, path: readonly string[]): SQL {
  const members = sql`${`{${path.map((member) => `"${member}"`)}}`}`.inlineParams()
  return sql`(${json}::jsonb #> ${members})`
}

/** The planner orders joins itself. */
export const join: SQL = sql.raw('JOIN')

/** The planner would walk along an index of the column until it has met enough of the rows, which may all be at its end. */
export const unindexed = (column: SQL): SQL => sql`(${column} || '')`

/** Neither a table in WITH nor a union has an order. */
export const ordered = (order: SQL): SQL => sql` ${order}`

/** Each query has an order and a limit of its own, without which all of its rows would be sorted. */
export const spanOf = (query: SQL, order: SQL): SQL => sql`(${query} ${order})`

/** Texts of rows with commas between them, in an order that is told. */
export const joinedTexts = (text: SQL, order: SQL): SQL =>
  sql`string_agg(${text}::text, ',' ORDER BY ${order})`

/** The lesser one of two numbers. */
export const lesser = (one: SQL, other: SQL): SQL => sql`least(${one}, ${other})`

/** All columns are texts: the rows of several parts are one union, whose columns must have one type each. */
export const asColumn = (value: SQL): SQL => sql`${value}::text`

/** A condition as a column of texts. */
export const asFlag = (condition: SQL): SQL => sql`CASE WHEN ${condition} THEN '1' END`

/** PostgreSQL makes what is selected of each row that it skips. */
export const picksFirst = true

/** Ends the transaction with a failure whose message holds a text, in quotes: see `migrations/postgres`. */
export const failing = (text: SQL): SQL => sql`fail(${text})`

/** The value of a counter, and what is still to be added to it. */
export const counted = (counter: SQL): SQL =>
  sql`((SELECT value FROM counters WHERE name = ${counter})
    + (SELECT coalesce(sum(change), 0)::bigint FROM counter_changes WHERE name = ${counter}))`

/** Adds a row instead of changing one, which transactions that run at the same time would wait for, and fail. */
export const counting = (counter: SQL, change: 1 | -1, condition: SQL): SQL =>
  sql`INSERT INTO counter_changes (name, change)
    SELECT ${counter}, ${sql.raw(String(change))} WHERE ${condition}`

/** Of a class of errors (their SQLSTATE begins with it), or with a code? */
const isOf = (error: unknown, codes: RegExp): boolean =>
  error instanceof ServerError && codes.test(error.code)

/** Not null, foreign key and unique violations. */
export const violatesConstraint = (error: unknown): boolean => isOf(error, /^2350[235]$/)

/** What fails was most often in the way of another transaction. The next attempt may wait long for its turn, and seldom fails again. */
export const attempts = { most: 8, budget: 8_000 }

/**
 * The codes of a server that takes no writes, such as one that is not the first any more: of a statement that writes, and of the beginning
 * of a serializable transaction.
 */
const takesNoWrites = /^(25006|0A000)$/

/**
 * Collisions; a server that shuts down, starts up or takes no writes; and connections that are lost. Not a server that has no connection
 * left, which further attempts would only keep busy.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof NotConnected
    ? !isOf(error.cause, /^(53|28|3D)/)
    : error instanceof ServerError
      ? isCollision(error) || isOf(error, takesNoWrites) || isOf(error, /^(57P0[123]|08...)$/)
      : error instanceof LostConnection

/** Nothing was sent, or the server has rolled back what was sent. */
export const isUndone = (error: unknown): boolean =>
  error instanceof NotConnected || isCollision(error) || isOf(error, takesNoWrites)
