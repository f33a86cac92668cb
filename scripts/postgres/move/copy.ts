import { createHash } from 'node:crypto'
import { complaint } from '../../lib/complaint.ts'
import { literal } from '../../lib/sql.ts'
import { recounts } from '../../operate/counters.ts'
import type { Row } from '../../operate/database.ts'
import type { Client } from '../client.ts'
import { type Table, tablesOf } from './tables.ts'

/** Runs a query, and gives its rows. */
export type Query = (sql: string) => Promise<readonly Row[]>

/** How rows are copied. */
export interface CopyOptions {
  /** Is what PostgreSQL holds now to be lost? */
  readonly empty: boolean
  readonly print: (line: string) => void
  /** The last step before the rows stay. What it throws undoes the copy, as any failure does. */
  readonly last: () => Promise<void>
  /** Rows that are read at once, and other tables than those of the service, for tests. */
  readonly pageSize?: number
  readonly tables?: readonly Table[]
}

/** What is compared of a table: how many rows it has, and SHA-256 over all of them in the order of the primary key. */
interface Sum {
  readonly rows: number
  readonly digest: string
}

/**
 * Copies all rows of D1 to PostgreSQL, in one transaction, and compares number and digest of the rows of each table.
 *
 * @returns the number of rows
 * @throws a complaint where PostgreSQL is not empty, and where it holds other rows afterwards; nothing has changed there then
 */
export async function copy(
  d1: Query,
  client: Client,
  { empty, print, last, pageSize, tables = tablesOf() }: CopyOptions,
): Promise<number> {
  const postgres: Query = async (sql) => (await client.query<Row>(sql)).rows
  await client.query('BEGIN')
  try {
    // Providers end transactions that do nothing for minutes, as this one does while it waits for wrangler.
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    for (const { name } of tables.filter(({ isWritten }) => isWritten)) {
      if (!empty && (await postgres(`SELECT 1 FROM "${name}" LIMIT 1`)).length > 0) {
        throw complaint(
          `PostgreSQL is not empty: rows of ${name} would be lost. Say --empty if that is meant.`,
        )
      }
    }
    const names = tables.map(({ name }) => `"${name}"`)
    await client.query(`TRUNCATE ${names.join(', ')}`)
    const copied = new Map<Table, Sum>()
    for (const table of tables) {
      const sum = await readAll(d1, table, pageSize, (rows) => insert(client, table, rows))
      copied.set(table, sum)
      print(`${sum.rows} rows of ${table.name}`)
    }
    for (const sql of recounts) {
      await client.query(sql)
    }
    print('Comparing')
    for (const [table, { rows, digest }] of copied) {
      const found = await readAll(postgres, table, pageSize)
      if (found.rows !== rows || found.digest !== digest) {
        throw complaint(`PostgreSQL holds other rows of ${table.name}: ${found.rows}, not ${rows}.`)
      }
    }
    await last()
    await client.query('COMMIT')
    return copied.values().reduce((sum, { rows }) => sum + rows, 0)
  } catch (error) {
    // Where the connection is lost, the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Reads a table a page at a time, in the order of its primary key, with the same SQL on both databases. */
async function readAll(
  query: Query,
  { name, columns, key }: Table,
  // A user has at most 3 KB, and a link, whose key is a pair of ids, 200 bytes: a page has at most 30 MB.
  pageSize = key.length > 1 ? 50_000 : 10_000,
  use: (rows: readonly Row[]) => Promise<void> = async () => {},
): Promise<Sum> {
  const hash = createHash('sha256')
  const keys = list(key)
  for (let count = 0, after = ''; ; ) {
    const rows = await query(
      `SELECT ${list(columns.map((column) => column.name))} FROM "${name}" ${after} ORDER BY ${keys} LIMIT ${pageSize}`,
    )
    for (const row of rows) {
      const values = columns.map((column) => textOf(row[column.name] ?? null))
      hash.update(`${JSON.stringify(values)}\n`)
    }
    await use(rows)
    count += rows.length
    const end = rows.at(-1)
    if (end === undefined || rows.length < pageSize) {
      return { rows: count, digest: hash.digest('hex') }
    }
    const position = key.map((column) => literal(String(end[column])))
    after = `WHERE (${keys}) > (${position.join(', ')})`
  }
}

/** A value of either database as a text. D1 holds dates and booleans as numbers. */
function textOf(value: unknown): string | null {
  const held = value instanceof Date || typeof value === 'boolean' ? Number(value) : value
  return held === null ? null : String(held)
}

/** The types of PostgreSQL for Drizzle's. All other columns hold texts. */
const types: Readonly<Record<string, string>> = {
  number: 'bigint',
  boolean: 'boolean',
  date: 'timestamptz',
}

/** Inserts rows with an array for each column. */
async function insert(client: Client, { name, columns }: Table, rows: readonly Row[]) {
  const arrays = columns.map(({ dataType }, nth) => `$${nth + 1}::${types[dataType] ?? 'text'}[]`)
  const sent = (dataType: string, value: Row[string] = null) =>
    value !== null && dataType === 'date' ? new Date(Number(value)) : value
  await client.query(
    `INSERT INTO "${name}" (${list(columns.map((column) => column.name))}) SELECT * FROM unnest(${arrays.join(', ')})`,
    columns.map(({ name, dataType }) => rows.map((row) => sent(dataType, row[name]))),
  )
}

/** Names in SQL. */
function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
