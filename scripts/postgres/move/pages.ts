import type { Ask } from '../../operate/database.ts'
import { text } from '../../operate/engines.ts'
import type { Row } from './checksum.ts'
import type { Table } from './tables.ts'

/** Rows that are read at once. The longest row has some 3 KB, so that a page has at most 30 MB, and mostly 5. */
const pageSize = 10_000

/**
 * Reads a table in the order of its primary key, a page at a time, with the same SQL on both databases. Where it is written to
 * meanwhile, a page shows it as it is when the page is read.
 */
export async function* pagesOf(
  ask: Ask,
  { name, columns, key }: Table,
  size = pageSize,
): AsyncGenerator<readonly Row[]> {
  const list = (names: readonly string[]): string => names.map(quoted).join(', ')
  const names = columns.map((column) => column.name)
  const select = `SELECT ${list(names)} FROM ${quoted(name)}`
  const order = `ORDER BY ${list(key)} LIMIT ${size}`
  for (let after = ''; ; ) {
    const [rows = []] = await ask([`${select} ${after} ${order}`])
    yield rows.map((row) => names.map((column) => row[column] ?? null))
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) {
      return
    }
    const position = key.map((column) => text(String(last[column])))
    after = `WHERE (${list(key)}) > (${position.join(', ')})`
  }
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name}"`
}

/** How many rows tables have together. */
export async function countOf(ask: Ask, tables: readonly Table[]): Promise<number> {
  const counts = await ask(tables.map(({ name }) => `SELECT count(*) AS n FROM ${quoted(name)}`))
  return counts.reduce((sum, [row]) => sum + Number(row?.n), 0)
}
