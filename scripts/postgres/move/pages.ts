import { literal } from '../../lib/sql.ts'
import type { Ask, Row as Stored } from '../../operate/database.ts'
import type { Row } from './checksum.ts'
import type { Table } from './tables.ts'

/** Rows of each table that are read together with those of all other tables: what is small takes one call of the database in all. */
const firstSize = 1_000

/**
 * Rows that are read at once afterwards. The longest row has some 3 KB, and a link, whose key is a pair of ids, 200 bytes: so a page has
 * at most 30 MB, and mostly 5 to 10. Wrangler takes a process for each, of some 6 s of CPU and 270 MB however short the page.
 */
const pageSize = ({ key }: Table): number => (key.length > 1 ? 50_000 : 10_000)

/**
 * Reads tables one after the other, each in the order of its primary key, a page at a time, with the same SQL on both databases. Where
 * one is written to meanwhile, a page shows it as it is when the page is read.
 *
 * @param size rows that are read at once, for tests
 * @returns each table, and its pages, to be read before the next table is
 */
export async function* pagesOf(
  ask: Ask,
  tables: readonly Table[],
  size?: number,
): AsyncGenerator<readonly [Table, AsyncGenerator<readonly Row[]>]> {
  const first = size ?? firstSize
  const firsts = await ask(tables.map((table) => pageAfter(undefined, table, first)))
  for (const [nth, table] of tables.entries()) {
    yield [table, restOf(ask, table, firsts[nth] ?? [], first, size ?? pageSize(table))]
  }
}

/** The pages of one table, of which the first one has been read. */
async function* restOf(
  ask: Ask,
  table: Table,
  first: readonly Stored[],
  firstAsked: number,
  size: number,
): AsyncGenerator<readonly Row[]> {
  for (let rows = first, asked = firstAsked; ; asked = size) {
    yield rows.map((row) => table.columns.map(({ name }) => row[name] ?? null))
    const last = rows.at(-1)
    if (last === undefined || rows.length < asked) {
      return
    }
    rows = (await ask([pageAfter(last, table, size)]))[0] ?? []
  }
}

/** A query of the rows behind one, or of the first ones. */
function pageAfter(last: Stored | undefined, { name, columns, key }: Table, size: number): string {
  const list = (names: readonly string[]): string => names.map(quoted).join(', ')
  const position = key.map((column) => literal(String(last?.[column])))
  const where = last ? `WHERE (${list(key)}) > (${position.join(', ')})` : ''
  return `SELECT ${list(columns.map((column) => column.name))} FROM ${quoted(name)} ${where} ORDER BY ${list(key)} LIMIT ${size}`
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name}"`
}

/** How many rows each of some tables has. */
export async function countsOf(ask: Ask, tables: readonly Table[]): Promise<readonly number[]> {
  const counts = await ask(tables.map(({ name }) => `SELECT count(*) AS n FROM ${quoted(name)}`))
  return counts.map(([row]) => Number(row?.n))
}
