import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { complaint } from '../../lib/complaint.ts'
import type { Progress } from '../../lib/progress.ts'
import { recounts } from '../../operate/counters.ts'
import { runAll } from '../../operate/postgres.ts'
import { type StoredTable, storedTables } from '../../operate/tables.ts'
import { type Client, takeTime } from '../client.ts'

/** Reads rows of D1, each as its values in the order of the columns. */
export type Read = (statement: SQL) => Promise<readonly (readonly unknown[])[]>

/** How rows are copied. */
export interface CopyOptions {
  /** Is what PostgreSQL holds now to be lost? */
  readonly empty: boolean
  readonly progress?: Progress
  /** The last step before the rows stay. What it throws undoes the copy, as any failure does. */
  readonly last: () => Promise<void>
  /** Rows that are read at once, and other tables than those of the service, for tests. */
  readonly pageSize?: number
  readonly tables?: readonly StoredTable[]
}

/** A table that is moved. Its columns are in the order of their declaration. */
type Table = ReturnType<typeof described>

/** A row as texts: what D1 holds as a number is one of digits. */
type Texts = readonly (string | null)[]

/**
 * Copies all rows of D1 to PostgreSQL, in one transaction, and compares number and SHA-256 of the rows of each page. Indexes and foreign
 * keys are made when all rows are there, which takes much less time.
 *
 * @returns the number of rows
 * @throws a complaint where PostgreSQL is not empty, and where it holds other rows afterwards; nothing has changed there then
 */
export async function copy(
  read: Read,
  client: Client,
  { empty, progress, last, pageSize, tables = storedTables }: CopyOptions,
): Promise<number> {
  await takeTime(client)
  await client.query('BEGIN')
  try {
    if (!empty) {
      await demandEmpty(client, tables)
    }
    const all = tables.map(described)
    const dropped = await dropIndexes(client, all)
    await runAll(client, [sql`truncate ${list(all.map(({ table }) => table))}, counters`])
    let sum = 0
    for (const table of all) {
      sum += await copyTable(read, client, table, progress, pageSize)
    }
    progress?.begin('indexes and keys', dropped.length)
    for (const { name, make } of dropped) {
      await step(`Making ${name}`, () => client.query(make))
      progress?.add(1)
    }
    await runAll(client, recounts)
    progress?.end()
    await last()
    await client.query('COMMIT')
    await client.query('ANALYZE')
    return sum
  } catch (error) {
    // Where the connection is lost, the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function described({ table }: StoredTable) {
  const { name, columns, primaryKeys } = getTableConfig(table)
  // The columns of the primary key. Both databases order their texts by code points.
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return { table, name, columns, key }
}

/** @throws a complaint that tells how many rows of which tables would be lost */
async function demandEmpty(client: Client, tables: readonly StoredTable[]): Promise<void> {
  const written = tables.filter(({ isWritten }) => isWritten)
  const counts = await runAll(
    client,
    written.map(({ table }) => sql`select count(*) as rows from ${table}`),
  )
  const lost = written.flatMap(({ table }, nth) => {
    const rows = Number(counts[nth]?.[0]?.rows)
    return rows > 0 ? [`${rows} rows of ${getTableConfig(table).name}`] : []
  })
  if (lost.length > 0) {
    throw complaint(
      `PostgreSQL is not empty. Lost would be ${lost.join(', ')}. Say --empty if that is meant.`,
    )
  }
}

/** What is dropped of a table, and made again later. */
interface Dropped {
  readonly name: string
  readonly drop: string
  readonly make: string
}

/** Drops the foreign keys and indexes of tables, but for their primary keys. */
async function dropIndexes(client: Client, tables: readonly Table[]): Promise<readonly Dropped[]> {
  const { rows } = await client.query<Dropped>(
    `SELECT conname AS name, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make, 2 AS nth
      FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY ($1::regclass[])
      UNION ALL SELECT indexrelid::regclass::text, format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1
      FROM pg_index i WHERE indrelid = ANY ($1::regclass[])
        AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND contype <> 'f') ORDER BY nth`,
    [tables.map(({ name }) => `"${name}"`)],
  )
  for (const { drop } of rows.toReversed()) {
    await client.query(drop)
  }
  return rows
}

/** Copies a table a page at a time, in the order of its primary key. A page is read while the one before is written. */
async function copyTable(
  read: Read,
  client: Client,
  table: Table,
  progress: Progress | undefined,
  // A user has at most 3 KB, and a link, whose key is a pair of ids, 200 bytes.
  pageSize = table.key.length > 1 ? 10_000 : 2_000,
): Promise<number> {
  const { name, columns, key } = table
  const places = key.map((column) => columns.indexOf(column))
  const pageAfter = (position: Texts | undefined) =>
    readTexts(read, pageOf(table, position, pageSize))
  const total = Number((await readTexts(read, sql`select count(*) from ${table.table}`))[0]?.[0])
  progress?.begin(name, total)
  let count = 0
  for (let next: Promise<readonly Texts[]> | undefined = pageAfter(undefined); next; ) {
    const page: Promise<readonly Texts[]> = next
    const rows = await step(`Reading ${name} after ${count} rows`, () => page)
    const [first, end] = [rows[0], rows.at(-1)].map((row) =>
      places.map((place) => String(row?.[place])),
    )
    next = rows.length < pageSize ? undefined : pageAfter(end)
    // It is awaited only when this page is written.
    next?.catch(() => {})
    if (rows.length > 0 && first && end) {
      const range = `${name}, rows ${count + 1} to ${count + rows.length} (${first.join()} to ${end.join()})`
      await step(`Writing ${range}`, () => write(client, table, rows))
      await step(`Comparing ${range}`, () => compare(client, table, rows, first, end))
    }
    count += rows.length
    progress?.add(rows.length)
  }
  if (count !== total) {
    throw complaint(`D1 has changed meanwhile: ${name} had ${total} rows, and then ${count}.`)
  }
  return count
}

/** Runs a step of the move. What PostgreSQL or D1 says goes behind its name, without the row that it is about. */
async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw complaint(`${name}: ${(error as Error).message}`, error)
  }
}

/** The statement that reads a page. Numbers come as texts, since JavaScript would round those of 64 bits. */
function pageOf({ table, columns, key }: Table, after: Texts | undefined, size: number): SQL {
  const texts = columns.map((column) => sql`cast(${column} as text)`)
  const start = after ? sql`where (${list(key)}) > (${list(after)})` : sql``
  return sql`select ${list(texts)} from ${table} ${start} order by ${list(key)} limit ${size}`
}

/** Reads rows. An answer of D1 may get lost, and a read can be repeated. */
async function readTexts(read: Read, statement: SQL, attempts = 3): Promise<readonly Texts[]> {
  try {
    return (await read(statement)) as readonly Texts[]
  } catch (error) {
    if (attempts <= 1) {
      throw error
    }
    await sleep(1_000)
    return readTexts(read, statement, attempts - 1)
  }
}

/** Writes rows in one statement, which gets them as JSON. A column that is not declared gets its default. */
async function write(client: Client, { table, columns }: Table, rows: readonly Texts[]) {
  const records = rows.map((row) =>
    Object.fromEntries(columns.map((column, nth) => [column.name, inJson(row[nth], column)])),
  )
  const json = JSON.stringify(records)
  const names = list(columns.map(({ name }) => sql.identifier(name)))
  await runAll(client, [
    sql`insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, ${json})`,
  ])
}

/** A value as PostgreSQL takes it. */
function inJson(text: string | null | undefined, { dataType }: SQLiteColumn) {
  return dataType === 'date' && text ? new Date(Number(text)) : text
}

/** How PostgreSQL writes a value as D1 does. All other columns hold texts. */
const asText: Readonly<Record<string, (column: SQLiteColumn) => SQL>> = {
  number: (column) => sql`${column}::text`,
  boolean: (column) => sql`${column}::int::text`,
  date: (column) => sql`(extract(epoch from ${column}) * 1000)::bigint::text`,
}

/**
 * Compares rows with those that PostgreSQL now holds in their range: it tells their number and SHA-256, and sends none of them.
 *
 * @throws Error where they differ
 */
async function compare(
  client: Client,
  { table, columns, key }: Table,
  rows: readonly Texts[],
  first: Texts,
  end: Texts,
): Promise<void> {
  const texts = columns.map((column) => {
    const text = asText[column.dataType]?.(column) ?? column
    return sql`coalesce(octet_length(${text}) || ':' || ${text}, '-')`
  })
  const keys = list(key)
  const [[is] = []] = await runAll(client, [
    sql`select count(*), encode(sha256(convert_to(string_agg(${sql.join(texts, sql` || `)}, '' order by ${keys}), 'UTF8')), 'hex') as digest
      from ${table} where (${keys}) >= (${list(first)}) and (${keys}) <= (${list(end)})`,
  ])
  const sent = rows.map((row) =>
    row.map((text) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)).join(''),
  )
  const digest = createHash('sha256').update(sent.join('')).digest('hex')
  if (is?.count !== rows.length || is.digest !== digest) {
    throw new Error(
      `PostgreSQL holds other rows: ${is?.count}, not ${rows.length}, or other values`,
    )
  }
}

const list = (items: readonly unknown[]): SQL =>
  sql.join(
    items.map((item) => sql`${item}`),
    sql`, `,
  )
