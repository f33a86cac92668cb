import { and, is, Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SessionOptions } from '../jsonapi/run/port.ts'
import { type Calls, DatabaseDeadline, NotSent, newCalls } from './calls.ts'
import { driverValues } from './stored.ts'

/*
 * What is special about D1, which is SQLite. A build for PostgreSQL uses `postgres/pg-engine.ts` in place of this file,
 * with the same exports.
 */

/** Builds statements. It has no database of its own: {@link runAll} and {@link applyBatch} send them. */
export const db = drizzle({} as D1Database)

/** The database as one request uses it. */
export interface Connection extends Calls {
  /** The database, or a session of it. */
  readonly client: Pick<D1Database, 'prepare' | 'batch'>
  /** The bookmark of the state that the request has seen; null if there are no replicas. */
  bookmark(): string | null
  /** Ends the connection. Never rejects. A connection of D1 has nothing to end. */
  readonly close?: () => Promise<void>
}

/** The database of a deployment. */
export type Opened = ReturnType<typeof openDatabase>

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
) {
  return {
    connect({ bookmark, writes }: SessionOptions): Connection {
      // A write begins at the primary: a replica could give an outdated reason for a refusal.
      const constraint = writes ? 'first-primary' : (bookmark ?? 'first-unconstrained')
      const session = replicated ? d1.withSession(constraint) : undefined
      return {
        ...newCalls(deadlineMs),
        client: session ?? d1,
        bookmark: () => session?.getBookmark() ?? null,
      }
    },
    /** Asks whether the database answers, and accepts writes; rejects if it does not. */
    async ask(): Promise<void> {
      await d1.prepare('SELECT 1').first()
    },
    /** The size of the database in bytes. */
    async size() {
      const { meta } = await d1.prepare('SELECT 1').run()
      return meta.size_after
    },
  }
}

/** The text of a statement, and the values of its parameters. */
export interface Statement {
  readonly sql: string
  readonly params: unknown[]
}

/** A statement as Drizzle builds it. */
export interface Query extends SQLWrapper {
  toSQL(): Statement
}

/**
 * The statement of a read. A value that it uses several times is one parameter, because D1
 * [allows](https://developers.cloudflare.com/d1/platform/limits/) only 100.
 */
export function statementOf(query: Query): Statement {
  const params: unknown[] = []
  const escapeParam = (_: number, value: unknown): string => {
    const isSame = (other: unknown) =>
      other === value ||
      (is(other, Placeholder) && is(value, Placeholder) && other.name === value.name)
    const index = params.findIndex(isSame)
    return `?${index < 0 ? params.push(value) : index + 1}`
  }
  const dialect = Object.assign(new SQLiteAsyncDialect(), { escapeParam })
  return { sql: dialect.sqlToQuery(query.getSQL()).sql, params }
}

/** The rows of a statement: their columns in order, as the driver gives them. */
export type Rows = readonly (readonly unknown[])[]

/** A JSON array of values. */
export const jsonArray = (items: readonly SQLWrapper[]): SQL =>
  sql`json_array(${sql.join([...items], sql`, `)})`

/** Collects a value of all rows in a JSON array, which is empty if there are no rows. */
export const jsonGroup = (item: SQLWrapper): SQL => sql`json_group_array(${item})`

/**
 * Is the column equal to one of the values? All of them are one parameter.
 *
 * @param decode turns each of them into a value of the column; into undefined if the column cannot hold it
 */
export const among = (
  column: SQLiteColumn,
  values: readonly unknown[] | Placeholder,
  decode?: (value: never) => unknown,
): SQL => {
  const mapToDriverValue = (all: readonly never[]) =>
    JSON.stringify(driverValues(column, all, decode))
  return sql`${column} in (select value from json_each(${sql.param(values, { mapToDriverValue })}))`
}

/** Must each part of a union have an order and a limit of its own? */
export const limitsRanges = false

/** A column that members are sorted by, as an expression that no index serves. On D1 it is the column itself. */
export const unindexed = (column: SQLiteColumn): SQLWrapper => column

/** Must a page that skips rows pick its ids first? */
export const picksIdsFirst = false

/** One row, for selects that read no table. */
export const oneRow: SQL = sql`(select 1) as one`

/** The clock of the database, in milliseconds since the epoch. */
const clock: SQL<number> = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`

/** The query of the clock that decides whether a batch comes too late. On PostgreSQL there is none. */
export const clockQueries: readonly Query[] = [db.select({ clock }).from(oneRow)]

/** Runs statements in one round trip, on one state of the database, and as one transaction. */
export function runAll(
  { client, call }: Connection,
  statements: readonly Statement[],
): Promise<Rows[]> {
  const [first, ...rest] = statements.map(({ sql, params }) => client.prepare(sql).bind(...params))
  return call(async () => {
    if (first && rest.length === 0) {
      return [await first.raw()]
    }
    const results = await client.batch<Record<string, unknown>>(first ? [first, ...rest] : [])
    return results.map((result) => result.results.map(Object.values))
  })
}

/** The rows of a table that have one of the ids in one of the columns. PostgreSQL locks them in the order of the columns. */
export interface LockedRows {
  readonly table: SQLiteTable
  readonly columns: readonly SQLiteColumn[]
  readonly ids: readonly string[]
  /** `key share` for rows that others refer to, `update` for those that are deleted or get another unique value. */
  readonly strength: 'key share' | 'no key update' | 'update'
}

/** Changes that are made together, and the conditions that must hold before. */
export interface Batch {
  /** The persons whose quotas it needs. PostgreSQL runs one such transaction of a person at a time. */
  readonly owners: readonly string[]
  /**
   * The rows that PostgreSQL locks first, in this order. D1
   * [runs one query at a time](https://developers.cloudflare.com/d1/platform/limits/).
   */
  readonly locks: readonly LockedRows[]
  readonly conditions: readonly SQL[]
  readonly statements: readonly Statement[]
}

/** How a batch has ended: with the rows of each statement, or with a failure and its error. */
export interface Applied {
  readonly results?: readonly Rows[]
  readonly failure?: Failure
  readonly error?: unknown
}

/**
 * The maximum number of conditions in one assertion.
 * [D1 allows](https://github.com/cloudflare/workerd/blob/main/src/workerd/util/sqlite.c++) expressions of a depth of 100.
 */
const conditionsOfOneAssertion = 20

/**
 * Makes all changes of a batch or none, in one round trip and one transaction.
 *
 * @param until the batch does nothing after this time, in milliseconds since the epoch by the clock of the database
 */
export async function applyBatch(
  connection: Connection,
  { conditions, statements }: Batch,
  until: number,
): Promise<Applied> {
  const assertions: Statement[] = []
  for (let start = 0; start === 0 || start < conditions.length; start += conditionsOfOneAssertion) {
    const some = conditions.slice(start, start + conditionsOfOneAssertion)
    assertions.push(assertion(sql`${clock} <= ${until}`, ...some))
  }
  try {
    const results = await runAll(connection, [...assertions, ...statements])
    return { results: results.slice(assertions.length) }
  } catch (error) {
    return { failure: failureOf(error), error }
  }
}

/** A statement that fails, and the batch with it, unless the conditions hold: then CASE evaluates an invalid JSON path. */
function assertion(...conditions: readonly SQL[]): Statement {
  const holds = sql`case when ${and(...conditions)} then 1 else json_extract('{}', ${invalidPath}) end`
  return db.select({ holds }).from(oneRow).toSQL()
}

const invalidPath = 'a condition does not hold'

/**
 * [Messages of D1](https://developers.cloudflare.com/d1/observability/debug-d1/) that mean that nothing is written: errors of SQL, limits,
 * and a database that is overloaded.
 */
const notWritten =
  /SQLITE_|constraint failed|no such|too many|D1_TYPE_ERROR|Wrong number of parameter|overloaded|Exceeded maximum DB size|exceeded D1's/i

/**
 * How a batch has failed. `conflict`: nothing is written, and the batch may be sent again: a condition or a constraint did not hold, it
 * came too late, another transaction was in its way, or the server or the connection failed before COMMIT. `lost`, on D1: the answer was
 * lost; all is written, or nothing. `unknown`: nobody can tell. `failed`: nothing is written.
 */
export type Failure = 'conflict' | 'lost' | 'unknown' | 'failed'

/** How a batch has failed, from its error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DatabaseDeadline) {
    return error instanceof NotSent ? 'failed' : 'unknown'
  }
  const message = messageOf(error)
  const isConflict =
    message.includes(invalidPath) || /(FOREIGN KEY|UNIQUE|NOT NULL) constraint failed/.test(message)
  return isConflict ? 'conflict' : notWritten.test(message) ? 'failed' : 'lost'
}

/** The messages of an error and its causes; an empty text for a value that is not an Error. */
function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''
}
