import { and, asc, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Client, DatabaseError } from 'pg'
import { createCall, DatabaseDeadline, newUsage } from '../calls.ts'
import type * as d1 from '../engine.ts'
import { counters } from '../schema.ts'
import { createLink, type Link } from './link.ts'

/*
 * What PostgreSQL spells and does in its own way: the exports of `../engine.ts`, which says what each of them is. Drizzle's types are
 * those of SQLite throughout, so that the rest of the store is written once.
 */

/** A database, as Drizzle wraps it. */
export type Database = d1.Database
/** A statement of Drizzle that is not sent yet. */
export type Query = d1.Query
/** The rows of a statement. */
export type Rows = d1.Rows
/** The values of a row, in the order in which they are selected. */
export type Row = d1.Row
/** The text of a statement with its parameters. */
export type Statement = d1.Statement
/** Changes that are made together, and what must be true before. */
export type Batch = d1.Batch
/** How a batch has failed. */
export type Failure = d1.Failure
/** The database of a deployment. */
export type Opened = d1.Opened

/** The connection of a request, with its link. */
export interface Connection extends d1.Connection {
  readonly link: Link
}

/** The database as Drizzle wraps it for PostgreSQL. */
const native = (db: Database) => db as unknown as NodePgDatabase

/** A JSON array of values. */
export const jsonArray = (items: readonly SQLWrapper[]): SQL =>
  sql`json_build_array(${sql.join([...items], sql`, `)})`

/** Collects a value of all rows in a JSON array, which is empty where there are no rows. */
export const jsonGroup = (item: SQLWrapper): SQL => sql`coalesce(json_agg(${item}), '[]')`

/** A limit. */
export const limitOf = (limit: number | SQLWrapper): SQL => sql`cast(${limit} as integer)`

/** Is the column equal to an item of a list, which is one parameter? */
export const among = (column: SQLiteColumn, list: SQLWrapper): SQL => sql`${column} = any(${list})`

/** The value of a parameter of {@link among}. */
export const listOf = (column: SQLiteColumn, values: readonly unknown[]): unknown =>
  values.map((value) => column.mapToDriverValue(value))

/** Each range is sorted by itself otherwise. */
export const limitsRanges = true

/** The planner would walk along an index of the column until it has met enough of the rows, which may all be at its end. */
export const unindexed = (column: SQLiteColumn): SQLWrapper =>
  column.dataType === 'string' ? sql`(${column} || '')` : column

/** PostgreSQL makes what is selected of each row that it skips. */
export const picksIdsFirst = true

/** The clock of the database, in milliseconds since the epoch. */
export const clock: SQL<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`

/** The binding to Hyperdrive, under the name that wrangler.postgres.toml gives it. */
interface Bindings {
  readonly HYPERDRIVE: { readonly connectionString: string }
}

/** Opens the database behind Hyperdrive. Each request has a connection of its own, which cannot outlive it. */
export function openDatabase(env: object, { deadlineMs }: { readonly deadlineMs: number }): Opened {
  const connect = (): Connection => {
    // The binding makes it, which only a request may have done.
    const { connectionString } = (env as Bindings).HYPERDRIVE
    const link = createLink(connectionString, deadlineMs)
    const usage = newUsage()
    const call = createCall(usage, deadlineMs)
    return {
      // Drizzle only asks for `query`.
      db: drizzle(link as unknown as Client) as unknown as Database,
      link,
      usage,
      call(send) {
        link.renew()
        return call(send)
      },
      bookmark: () => null,
      close: link.end,
    }
  }
  const ask = (query: SQL): Promise<Rows[number] | undefined> => {
    const { db, call, close } = connect()
    return call(() => native(db).execute(query))
      .then(({ rows }) => rows[0])
      .finally(close)
  }
  return {
    connect,
    async ask() {
      const row = await ask(sql`select current_setting('transaction_read_only') as "readOnly"`)
      if (row?.readOnly !== 'off') {
        throw new Error('PostgreSQL takes no writes')
      }
    },
    async size() {
      const row = await ask(sql`select pg_database_size(current_database()) as bytes`)
      return Number(row?.bytes)
    },
  }
}

/** Runs selects on one state of the database. */
export async function selectAll(db: Database, queries: readonly Query[]): Promise<readonly Rows[]> {
  const [only] = queries
  return only && queries.length === 1
    ? [await run(only)]
    : native(db).transaction(() => inTurn(queries), oneState)
}

async function inTurn(queries: readonly Query[]): Promise<Rows[]> {
  const results: Rows[] = []
  for (const query of queries) {
    results.push(await run(query))
  }
  return results
}

/** Every builder of Drizzle is a promise, which its type for batches does not say. */
function run(query: Query): PromiseLike<Rows> {
  return query as unknown as PromiseLike<Rows>
}

/** Runs selects on one state of the database. */
export async function runAll(
  db: Database,
  statements: readonly Statement[],
): Promise<(readonly Row[])[]> {
  const { query } = db.$client as unknown as Link
  const rowsOf = async ({ sql, params }: Statement): Promise<readonly Row[]> =>
    (await query({ text: sql, values: params, rowMode: 'array' })).rows
  const [only] = statements
  if (only && statements.length === 1) {
    return [await rowsOf(only)]
  }
  const results: (readonly Row[])[] = []
  await native(db).transaction(async () => {
    for (const statement of statements) {
      results.push(await rowsOf(statement))
    }
  }, oneState)
  return results
}

/** The transaction of reads that see one state of the database. */
const oneState = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const

/** A condition of a batch does not hold. */
class Refused extends Error {
  override readonly name = 'Refused'
}

/** The time of a batch was over before COMMIT was sent: nothing is written. */
class TooLate extends Error {
  override readonly name = 'TooLate'
}

/** COMMIT was sent, and its answer has not come. */
class LostCommit extends Error {
  override readonly name = 'LostCommit'
}

/**
 * Makes all changes of a batch or none, in one transaction whose steps are awaited. Its rows are locked before its conditions are read,
 * so that these see what earlier transactions have done.
 */
export async function applyBatch(
  connection: d1.Connection,
  { locks, conditions, statements }: Batch,
): Promise<readonly Rows[]> {
  const { db, call, link } = connection as Connection
  let isCommitting = false
  try {
    return await call((milliseconds) => {
      const end = Date.now() + milliseconds
      return native(db).transaction(async () => {
        await lock(native(db), locks)
        const holds = (and(...conditions) ?? sql`true`).mapWith(Boolean)
        const [row] = await db.select({ holds }).from(sql`(select 1) as one`)
        if (!row?.holds) {
          throw new Refused('A condition does not hold')
        }
        const results = await inTurn(statements)
        if (Date.now() >= end) {
          throw new TooLate('The time of the transaction was over before its end')
        }
        isCommitting = true
        return results
      })
    })
  } catch (error) {
    const isLate = error instanceof DatabaseDeadline
    if (isLate) {
      void link.end()
    }
    if (isCommitting && (isLate || isDisconnected(error))) {
      throw new LostCommit('The answer to COMMIT was lost', { cause: error })
    }
    throw isLate ? new TooLate('PostgreSQL has not answered in time', { cause: error }) : error
  }
}

/** Locks counters and rows, always in the same order, so that no two transactions wait for each other. */
async function lock(db: NodePgDatabase, { rows, counters: names }: Batch['locks']): Promise<void> {
  const { name } = counters
  if (names.length > 0) {
    await db
      .select({ name: name as unknown as PgColumn })
      .from(counters as unknown as PgTable)
      .where(among(name, sql.param(listOf(name, names))))
      .orderBy(asc(name))
      .for('update')
  }
  for (const { table, id, ids } of rows) {
    await db
      .select({ id: id as unknown as PgColumn })
      .from(table as unknown as PgTable)
      .where(among(id, sql.param(listOf(id, ids))))
      .orderBy(asc(id))
      .for('update')
  }
}

/**
 * Not null, foreign key and unique violations; a deadlock, a serialization failure, and a lock that does not come; a server that takes
 * no writes, and a session that has waited too long for COMMIT.
 */
const conflicts = /^(2350[235]|40001|40P01|55P03|25006|57P05)$/

/** A server that shuts down or starts up, and connections that are lost. */
const disconnected = /^(57P0[123]|08...)$/

/** How a batch has failed, from its error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof LostCommit) {
    return 'lost'
  }
  const isRefused = error instanceof Refused || conflicts.test(codeOf(error) ?? '')
  return isRefused || isDisconnected(error) ? 'conflict' : 'failed'
}

function isDisconnected(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined ? isOfConnection(error) : disconnected.test(code)
}

/** The SQLSTATE of an error; undefined where it is none of the server. */
function codeOf(error: unknown): string | undefined {
  const cause = causeOf(error)
  return cause instanceof DatabaseError ? cause.code : undefined
}

/** Do the driver or the network report that there is no connection? */
function isOfConnection(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Error && ('code' in cause || /connection|timeout/i.test(cause.message))
}

/** The last cause of an error: Drizzle wraps those of the driver. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}
