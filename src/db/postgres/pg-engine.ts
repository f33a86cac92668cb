import { and, asc, count, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Client, DatabaseError } from 'pg'
import { newCalls } from '../calls.ts'
import { counters } from '../counters.ts'
import type * as d1 from '../engine.ts'
import type {
  Applied,
  Batch,
  Connection,
  LockedRows,
  Opened,
  Query,
  Rows,
  Statement,
} from '../engine.ts'
import { driverValues } from '../stored.ts'
import { createLink, type Link } from './link.ts'

/*
 * What is special about PostgreSQL: the exports of `../engine.ts`, where each is described. They have Drizzle's types of SQLite, so that
 * the rest of the store is written once.
 */

export type * from '../engine.ts'

/** Builds statements with the types of PostgreSQL. */
const native = drizzle.mock()

// Only here do the types of both dialects meet. The store has those of SQLite; at run time, its tables and columns are PostgreSQL's.

/** Builds statements. */
export const db = native as unknown as typeof d1.db

const nativeTable = (table: SQLiteTable) => table as unknown as PgTable

const clientOf = (link: Link) => link as unknown as Connection['client']

const linkOf = ({ client }: Connection) => client as unknown as Link

/** A JSON array of values. */
export const jsonArray = (items: readonly SQLWrapper[]): SQL =>
  sql`json_build_array(${sql.join([...items], sql`, `)})`

/** Collects a value of all rows in a JSON array, which is empty if there are no rows. */
export const jsonGroup = (item: SQLWrapper): SQL => sql`coalesce(json_agg(${item}), '[]')`

/** Is the column equal to one of the values, which are one parameter? */
export const among: typeof d1.among = (column, values, decode) => {
  const mapToDriverValue = (all: readonly never[]) => driverValues(column, all, decode)
  return sql`${column} = any(${sql.param(values, { mapToDriverValue })})`
}

/** The statement of a read. The server allows 65,535 parameters. */
export const statementOf = (query: Query): Statement => query.toSQL()

/** Without a limit of its own, each range would be sorted as a whole. */
export const limitsRanges = true

/** With an index of the column, the planner might go through the rows of everybody to find those of one resource. */
export const unindexed = (column: SQLiteColumn): SQLWrapper =>
  column.dataType === 'string' ? sql`(${column} || '')` : column

/** PostgreSQL evaluates what is selected for each row that it skips. */
export const picksIdsFirst = true

/** One row, for selects that read no table. */
export const oneRow: SQL = sql`(select 1) as one`

/** No clock decides whether a transaction comes too late. */
export const clockQueries: typeof d1.clockQueries = []

/** The binding to Hyperdrive, under the name that wrangler.postgres.toml gives it. */
interface Bindings {
  readonly HYPERDRIVE: { readonly connectionString: string }
}

/** Opens the database behind Hyperdrive. Each request has a connection of its own, which cannot outlive it. */
export function openDatabase(env: object, { deadlineMs }: { readonly deadlineMs: number }): Opened {
  const connect = (): Connection => {
    // Read for each request, whose connection it is.
    const { connectionString } = (env as Bindings).HYPERDRIVE
    const link = createLink(connectionString, deadlineMs)
    return {
      ...newCalls(deadlineMs),
      client: clientOf(link),
      bookmark: () => null,
      close: link.end,
    }
  }
  const ask = async (sql: string) => {
    const connection = connect()
    const results = await runAll(connection, [{ sql, params: [] }]).finally(connection.close)
    return results[0]?.[0] ?? []
  }
  return {
    connect,
    async ask() {
      const [readOnly, style] = await ask(
        "select current_setting('transaction_read_only'), current_setting('datestyle')",
      )
      if (readOnly !== 'off') {
        throw new Error('PostgreSQL takes no writes')
      }
      if (!String(style).startsWith('ISO')) {
        throw new Error('PostgreSQL writes times in another style than ISO')
      }
    },
    size: async () => Number((await ask('select pg_database_size(current_database())'))[0]),
  }
}

/** Runs selects on one state of the database: one statement sees one state, several need a transaction. */
export function runAll(connection: Connection, statements: readonly Statement[]): Promise<Rows[]> {
  return connection.call(async () => {
    const client = await linkOf(connection).connected()
    const run = () => pipeline(client, statements)
    return statements.length === 1
      ? run()
      : inTransaction(client, 'begin isolation level repeatable read read only', run)
  })
}

/** Runs work in a transaction. If ROLLBACK fails, too, the error is that of the work, with that of ROLLBACK as its cause. */
async function inTransaction<Result>(
  client: Client,
  begin: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(begin)
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((cause) => {
      if (error instanceof DatabaseError) {
        error.cause = cause
      }
    })
    throw error
  }
}

/** Sends statements without waiting for the answers before. The server carries out one after the other. */
function pipeline(client: Client, statements: readonly Statement[]): Promise<Rows[]> {
  const sent = statements.map(async ({ sql, params }): Promise<Rows> => {
    const { rows } = await client.query({ text: sql, values: params, rowMode: 'array' })
    return rows
  })
  return Promise.all(sent)
}

const conditionFailed = new Error('A condition does not hold')

/**
 * The name of a transaction. After a crash, or on another server, another one may have its number. The start of the statistics tells them
 * apart.
 */
const transactionName = {
  number: sql`pg_current_xact_id()::text`,
  statistics: sql`(select stats_reset::text from pg_stat_wal)`,
}

/** How long to wait before a transaction is asked for again, in milliseconds. */
const askEveryMs = 250

/**
 * Makes all changes of a batch or none, in one transaction. Its rows are locked before its conditions are read, so these see what earlier
 * transactions have done. If the answer to COMMIT is lost, the server is asked what has become of it.
 */
export async function applyBatch(
  connection: Connection,
  { owners, locks, conditions, statements }: Batch,
): Promise<Applied> {
  const link = linkOf(connection)
  const question = db
    .select({ holds: and(...conditions) ?? sql`true`, ...transactionName })
    .from(oneRow)
  let isOver = false
  let committing: { readonly results: Rows[]; readonly name: readonly unknown[] } | undefined
  const transaction = async (): Promise<Rows[]> => {
    const client = await link.connected()
    return inTransaction(client, 'begin', async () => {
      const first = [...owners.map(lockQuota), ...locks.map(lock), question.toSQL()]
      const answer = (await pipeline(client, first)).at(-1)
      const [holds, ...name] = answer?.[0] ?? []
      if (!holds) {
        throw conditionFailed
      }
      const results = await pipeline(client, statements)
      if (isOver) {
        throw new Error('The time of the transaction was over before its end')
      }
      committing = { results, name }
      return results
    })
  }
  try {
    return { results: await connection.call(transaction) }
  } catch (error) {
    isOver = true
    // A proxy reports its own failures as the server does, so only a conflict shows that COMMIT has done nothing.
    if (error === conditionFailed || conflicts.test(sqlState(error))) {
      return { failure: 'conflict', error }
    }
    void link.end()
    if (!committing) {
      return { failure: isDisconnected(error) ? 'conflict' : 'failed', error }
    }
    const status = await statusOf(connection, committing.name).catch(() => undefined)
    return status === 'committed'
      ? { results: committing.results }
      : { failure: status === 'aborted' ? 'conflict' : 'unknown', error }
  }
}

/**
 * What has become of a transaction: `committed` or `aborted`; null if the server does not know it.
 *
 * @throws NotSent if the server does not tell within the time of the request
 */
async function statusOf(connection: Connection, name: readonly unknown[]): Promise<unknown> {
  const question = {
    sql: 'select (select pg_xact_status($1::xid8) from pg_stat_wal where stats_reset = $2::timestamptz)',
    params: [...name],
  }
  for (;;) {
    const [rows] = await runAll(connection, [question]).catch(() => [])
    const [status = 'in progress'] = rows?.[0] ?? []
    if (status !== 'in progress') {
      return status
    }
    await connection.pause(askEveryMs)
  }
}

/** Locks a row of the person, which is made if it is missing. Hyperdrive has no advisory locks. */
function lockQuota(owner: string): Statement {
  const name = sql`'owner/' || hashtextextended(${owner}, 0)`
  return db
    .insert(counters)
    .values({ name, value: 0 })
    .onConflictDoUpdate({ target: counters.name, set: { value: 0 } })
    .toSQL()
}

/** Locks rows in one order, so that no two transactions wait for each other. There can be many, so only their number comes back. */
function lock({ table, columns, ids, strength }: LockedRows): Statement {
  const rows = native
    .select({ one: sql`1`.as('one') })
    .from(nativeTable(table))
    .where(or(...columns.map((column) => among(column, ids))))
    .orderBy(...columns.map((column) => asc(column)))
    .for(strength)
    .as('locked')
  return native.select({ number: count() }).from(rows).toSQL()
}

/**
 * Not null, foreign key and unique violations; a deadlock, a serialization failure, and a lock that does not come; a server that accepts
 * no writes.
 */
const conflicts = /^(2350[235]|40001|40P01|55P03|25006)$/

/** A server that shuts down or starts up, a session that was idle for too long, and connections that are lost. */
const disconnected = /^(57P0[1235]|25P03|08...)$/

/** Do the server, the driver or the network report that there is no connection? */
function isDisconnected(error: unknown): boolean {
  return error instanceof DatabaseError
    ? disconnected.test(sqlState(error))
    : error instanceof Error && ('code' in error || /connection/i.test(error.message))
}

/** The SQLSTATE of an error; empty if it is none of the server. */
function sqlState(error: unknown): string {
  return (error instanceof DatabaseError && error.code) || ''
}
