import { and, asc, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Client, DatabaseError } from 'pg'
import { createCall, DatabaseDeadline, newUsage } from '../calls.ts'
import type {
  Batch,
  Connection,
  Database,
  Failure,
  Opened,
  Query,
  Row,
  Rows,
  Statement,
} from '../engine.ts'
import { counters } from '../schema.ts'
import { createLink, type Link } from './link.ts'

/*
 * What PostgreSQL spells and does in its own way: the exports of `../engine.ts`, which says what each of them is. Drizzle's types are
 * those of SQLite throughout, so that the rest of the store is written once.
 */

export type * from '../engine.ts'

/** The database as Drizzle wraps it for PostgreSQL. */
const native = (db: Database) => db as unknown as NodePgDatabase

/** The connection that it uses. */
const linkOf = (db: Database) => db.$client as unknown as Link

/** A JSON array of values. */
export const jsonArray = (items: readonly SQLWrapper[]): SQL =>
  sql`json_build_array(${sql.join([...items], sql`, `)})`

/** Collects a value of all rows in a JSON array, which is empty where there are no rows. */
export const jsonGroup = (item: SQLWrapper): SQL => sql`coalesce(json_agg(${item}), '[]')`

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
      usage,
      call(send) {
        link.renew()
        return call(send)
      },
      bookmark: () => null,
      close: link.end,
    }
  }
  const ask = async (query: SQL) => {
    const { db, call, close } = connect()
    const { rows } = await call(() => native(db).execute(query)).finally(close)
    return rows[0]
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

/** Every builder of Drizzle is a promise, which its type for batches does not say. */
const run = (query: Query) => query as unknown as PromiseLike<Rows>

/** Runs selects on one state of the database. */
export function selectAll(db: Database, queries: readonly Query[]): Promise<readonly Rows[]> {
  return onOneState(db, queries, run)
}

/** Runs selects on one state of the database. */
export function runAll(
  db: Database,
  statements: readonly Statement[],
): Promise<(readonly Row[])[]> {
  return onOneState(db, statements, async ({ sql, params }) => {
    const { rows } = await linkOf(db).query({ text: sql, values: params, rowMode: 'array' })
    return rows
  })
}

/** One statement sees one state; several need a transaction. */
function onOneState<Item, Result>(
  db: Database,
  items: readonly Item[],
  run: (item: Item) => PromiseLike<Result>,
): Promise<Result[]> {
  const options = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const
  return items.length === 1
    ? inTurn(items, run)
    : native(db).transaction(() => inTurn(items, run), options)
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => PromiseLike<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(await run(item))
  }
  return results
}

/** A condition of a batch does not hold. */
class Refused extends Error {
  override readonly name = 'Refused'
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
  { db, call }: Connection,
  { locks, conditions, statements }: Batch,
): Promise<readonly Rows[]> {
  let isCommitting = false
  const inTransaction = async (end: number): Promise<Rows[]> => {
    await lock(native(db), locks)
    const holds = (and(...conditions) ?? sql`true`).mapWith(Boolean)
    const [row] = await db.select({ holds }).from(sql`(select 1) as one`)
    if (!row?.holds) {
      throw new Refused('A condition does not hold')
    }
    const results = await inTurn(statements, run)
    if (Date.now() >= end) {
      throw new DatabaseDeadline('The time of the transaction was over before its end')
    }
    isCommitting = true
    return results
  }
  try {
    return await call((milliseconds) => {
      const end = Date.now() + milliseconds
      return native(db).transaction(() => inTransaction(end))
    })
  } catch (error) {
    const isLate = error instanceof DatabaseDeadline
    if (isLate) {
      void linkOf(db).end()
    }
    // A proxy reports its own failures as the server does, so that only a conflict shows that COMMIT has done nothing.
    if (isCommitting && !conflicts.test(codeOf(error))) {
      throw new LostCommit('The answer to COMMIT was lost', { cause: error })
    }
    throw error
  }
}

/** Locks counters and rows, always in the same order, so that no two transactions wait for each other. */
async function lock(db: NodePgDatabase, { rows, counters: names }: Batch['locks']): Promise<void> {
  const counted = { table: counters, id: counters.name, ids: names }
  for (const { table, id, ids } of names.length > 0 ? [counted, ...rows] : rows) {
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
  const isRefused = error instanceof Refused || conflicts.test(codeOf(error))
  return isRefused || isDisconnected(error) ? 'conflict' : 'failed'
}

/** Do the server, the driver or the network report that there is no connection? */
function isDisconnected(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof DatabaseError
    ? disconnected.test(codeOf(cause))
    : cause instanceof Error && ('code' in cause || /connection|timeout/i.test(cause.message))
}

/** The SQLSTATE of an error; empty where it is none of the server. */
function codeOf(error: unknown): string {
  const cause = causeOf(error)
  return (cause instanceof DatabaseError && cause.code) || ''
}

/** The last cause of an error: Drizzle wraps those of the driver. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}
