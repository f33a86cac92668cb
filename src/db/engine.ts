import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SessionOptions, Usage } from '../jsonapi/run/port.ts'
import { type Call, createCall, DatabaseDeadline, NotSent, newUsage } from './calls.ts'

/*
 * What D1, which is SQLite, spells and does in its own way. A build for PostgreSQL takes `postgres/pg-engine.ts` in place of this file,
 * with the same exports.
 */

/** A database or a session of it, as Drizzle wraps it. */
export type Database = DrizzleD1Database & { readonly $client: D1Database }

/** The database as one request uses it. */
export interface Connection {
  readonly db: Database
  readonly call: Call
  readonly usage: Usage
  /** The bookmark of the state that the request has seen; null where there are no replicas. */
  bookmark(): string | null
  /** Ends the connection. Never rejects. */
  close(): Promise<void>
}

/** The database of a deployment. */
export interface Opened {
  connect(options: SessionOptions): Connection
  /** Asks whether the database answers, and takes writes; rejects where it does not. */
  ask(): Promise<void>
  /** The size of the database in bytes. */
  size(): Promise<number>
}

/**
 * Opens the database. Do so once per isolate.
 *
 * @param env the bindings of the Worker
 * @param deadlineMs milliseconds that one call may take
 * @param replicated read from the nearest replica, in a session for each request
 */
export function openDatabase(
  { DB: d1 }: { readonly DB: D1Database },
  { deadlineMs, replicated }: { readonly deadlineMs: number; readonly replicated: boolean },
): Opened {
  const unreplicated = drizzle(d1)
  return {
    connect({ bookmark, writes }) {
      // A write begins at the primary, so that the reason of a refusal is true of the newest state.
      const constraint = writes ? 'first-primary' : (bookmark ?? 'first-unconstrained')
      const session = replicated ? d1.withSession(constraint) : undefined
      const usage = newUsage()
      return {
        // A session has all of a database that Drizzle uses.
        db: session ? drizzle(session as unknown as D1Database) : unreplicated,
        call: createCall(usage, deadlineMs),
        usage,
        bookmark: () => session?.getBookmark() ?? null,
        close: async () => {},
      }
    },
    async ask() {
      await d1.prepare('SELECT 1').first()
    },
    async size() {
      const { meta } = await d1.prepare('SELECT 1').run()
      return meta.size_after
    },
  }
}

/** A statement of Drizzle that is not sent yet. */
export type Query = BatchItem<'sqlite'>

/** The rows of a statement, in the form that Drizzle gives them. */
export type Rows = readonly Record<string, unknown>[]

/** A JSON array of values. */
export const jsonArray = (items: readonly SQLWrapper[]): SQL =>
  sql`json_array(${sql.join([...items], sql`, `)})`

/** Collects a value of all rows in a JSON array, which is empty where there are no rows. */
export const jsonGroup = (item: SQLWrapper): SQL => sql`json_group_array(${item})`

/** Is the column equal to an item of a list? D1 allows 100 parameters, so that a list is one: see {@link listOf}. */
export const among = (column: SQLiteColumn, list: SQLWrapper): SQL =>
  sql`${column} in (select value from json_each(${list}))`

/** The value of a parameter of {@link among}. */
export const listOf = (column: SQLiteColumn, values: readonly unknown[]): unknown =>
  JSON.stringify(values.map((value) => column.mapToDriverValue(value)))

/** Must each range of an index in a union have an order and a limit of its own? SQLite merges the ranges in their order. */
export const limitsRanges = false

/** The column that a few rows are sorted by. SQLite finds the rows before it looks at their order. */
export const unindexed = (column: SQLiteColumn): SQLWrapper => column

/** Must a page that skips rows pick its ids first? SQLite skips rows before it looks at what is selected of them. */
export const picksIdsFirst = false

/** The clock of the database, in milliseconds since the epoch. */
export const clock: SQL<number> = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`

/** Runs selects in one round trip, on one state of the database. */
export function selectAll(db: Database, queries: readonly Query[]): Promise<readonly Rows[]> {
  return db.batch(queries as [Query, ...Query[]]) as Promise<readonly Rows[]>
}

/** The text of a statement, and the values of its parameters. */
export interface Statement {
  readonly sql: string
  readonly params: unknown[]
}

/** A row: its columns in their order, as the driver gives them. */
export type Row = readonly unknown[]

/** Runs selects in one round trip, on one state of the database. */
export async function runAll(
  { $client }: Database,
  statements: readonly Statement[],
): Promise<(readonly Row[])[]> {
  const [first, ...rest] = statements.map(({ sql, params }) => $client.prepare(sql).bind(...params))
  if (first && rest.length === 0) {
    return [await first.raw()]
  }
  const results = await $client.batch<Record<string, unknown>>(first ? [first, ...rest] : [])
  return results.map((result) => result.results.map(Object.values))
}

/** Rows that a batch reads or changes, by their ids. */
export interface NamedRows {
  readonly table: SQLiteTable
  readonly id: SQLiteColumn
  readonly ids: readonly string[]
}

/** Changes that are made together, and what must be true before. */
export interface Batch {
  /** What PostgreSQL locks first. D1 has one writer. */
  readonly locks: { readonly rows: readonly NamedRows[]; readonly counters: readonly string[] }
  readonly conditions: readonly SQL[]
  /** The batch does nothing after this time, in milliseconds since the epoch by the clock of the database. */
  readonly until: number
  readonly statements: readonly Query[]
}

/** D1 allows expressions of a depth of 100, and 100 parameters in a statement. */
const conditionsOfOneGuard = 20

/**
 * Makes all changes of a batch or none, in one round trip and one transaction.
 *
 * @returns the rows of each statement
 * @throws Error of the {@link Failure} `conflict` if a condition does not hold, or the batch is too late
 */
export async function applyBatch(
  { db, call }: Connection,
  { conditions, until, statements }: Batch,
): Promise<readonly Rows[]> {
  const guards: Query[] = []
  for (let start = 0; start === 0 || start < conditions.length; start += conditionsOfOneGuard) {
    const some = conditions.slice(start, start + conditionsOfOneGuard)
    guards.push(guard(db, sql`${clock} <= ${until}`, ...some))
  }
  const all = [...guards, ...statements] as [Query, ...Query[]]
  const results: readonly Rows[] = await call(() => db.batch(all) as Promise<Rows[]>)
  return results.slice(guards.length)
}

/** Ends the batch unless the conditions hold. An invalid path is an error, and CASE only looks at it where it is needed. */
function guard(db: Database, ...conditions: readonly SQL[]): Query {
  const holds = sql`case when ${and(...conditions)} then 1 else json_extract('{}', ${guardPath}) end`
  return db.select({ holds: holds.as('holds') }).from(sql`(select 1) as one`)
}

const guardPath = 'a condition does not hold'

/** What D1 says where it has surely written nothing: errors of SQL, limits, and a database that is overloaded. */
const refused =
  /SQLITE_|constraint failed|no such|too many|D1_TYPE_ERROR|Wrong number of parameter|overloaded|Exceeded maximum DB size|exceeded D1's/i

/**
 * How a batch has failed. `conflict`: nothing is written, since a condition has not held, a constraint has spoken, or the connection was
 * lost in time, and the batch may be sent again. `lost`: no answer says it, and the batch is carried out as a whole or not at all.
 * `unknown`: nobody can tell. `failed`: nothing is written.
 */
export type Failure = 'conflict' | 'lost' | 'unknown' | 'failed'

/** How a batch has failed, from its error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DatabaseDeadline) {
    return error instanceof NotSent ? 'failed' : 'unknown'
  }
  const message = messageOf(error)
  const isConflict =
    message.includes(guardPath) || /(FOREIGN KEY|UNIQUE|NOT NULL) constraint failed/.test(message)
  return isConflict ? 'conflict' : refused.test(message) ? 'failed' : 'lost'
}

/** The messages of an error and its causes; an empty text for a value that is not an Error. */
function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''
}
