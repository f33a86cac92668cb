import { DatabaseSync } from 'node:sqlite'
import type { StoreOptions } from '../../../../src/db/store.ts'
import { foldCase, sortKey } from '../../../../src/db/stored.ts'
import type { Registry } from '../../../../src/jsonapi/declare/registry.ts'
import { creationsOf } from '../creations.ts'
import { type Around, type Database, d1On } from '../d1.ts'
import { cipher, openedStore } from '../store-options.ts'
import { folderTable, peerTable } from './folders.ts'
import { registry as secondDomain } from './registry.ts'
import * as tables from './tables.ts'

const { articleColumns: _, refers: __, ...ownTables } = tables
const schema = [
  ...creationsOf([...Object.values(ownTables), folderTable, peerTable]),
  "INSERT INTO counters (name, value) VALUES ('articles', 0)",
].join(';')

/** A database of its own with the second domain's tables, and a store on it. */
export function openDomain(
  around?: Around,
  registry: Registry = secondDomain,
  options: Partial<StoreOptions> = {},
) {
  const sqlite = new DatabaseSync(':memory:')
  sqlite.exec(schema)
  const clock = { aheadMs: 0 }
  sqlite.function('unixepoch', (_subsec) => (Date.now() + clock.aheadMs) / 1_000)
  const roundTrips: (readonly string[])[] = []
  const db = d1On(sqlite, (texts, run) => {
    roundTrips.push(texts)
    return around ? around(texts, run) : run()
  })
  return {
    /** How far the clock of the database is ahead of that of this process. */
    clock,
    /** The database without what counts and disturbs round trips. */
    d1: d1On(sqlite),
    db,
    cipher,
    /** The statements of each round trip so far. */
    roundTrips,
    store: openedStore(db, { registry, cipher, ...options }),
  }
}

type Cells = Readonly<Record<string, string | number | null>>

/** Adds rows to a table, past the service, in one round trip. */
export async function insert(d1: Database, table: string, ...rows: readonly Cells[]) {
  const statements = rows.map((row) => {
    const names = Object.keys(row).map((name) => `"${name.replaceAll('"', '""')}"`)
    const insertion = `INSERT INTO "${table}" (${names}) VALUES (${names.map(() => '?')})`
    return d1.prepare(insertion).bind(...Object.values(row))
  })
  const recount = `UPDATE counters SET value = (SELECT count(*) FROM articles) WHERE name = 'articles'`
  await d1.batch([...statements, d1.prepare(recount)])
}

/** A row of an article; what is folded follows from what is shown. */
export function article(id: string, cells: Cells = {}): Cells {
  const { title = `Title ${id}`, handle = `Handle-${id}`, section = 'News' } = cells
  return {
    article_no: id,
    keeper: 'ann',
    title,
    title_fold: sortKey(String(title)),
    handle,
    handle_fold: foldCase(String(handle)),
    section,
    section_fold: sortKey(String(section)),
    ...cells,
  }
}

/** A row of a person. */
export function person(id: string, cells: Cells = {}): Cells {
  return { person_no: id, nickname: `Nick ${id}`, born: 1980, ...cells }
}

/** A row of a tag. */
export function tag(id: string, cells: Cells = {}): Cells {
  return { slug: id, label: `Label ${id}`, kind: 'plain', ...cells }
}

/** The ids `prefix` and a number of two digits, from 1. */
export function ids(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => prefix + String(index + 1).padStart(2, '0'))
}
