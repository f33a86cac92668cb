import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { createCipher } from '../../../../src/db/cipher.ts'
import type { StoredRegistry } from '../../../../src/db/source.ts'
import { d1Store } from '../../../../src/db/store.ts'
import { type Around, sqliteD1, sqliteOf } from '../sqlite-d1.ts'
import { storeOptions } from '../store-options.ts'
import { registry as secondDomain } from './registry.ts'

/** A key ring of one key. */
const ring = JSON.stringify({ current: 'k1', keys: { k1: 'A'.repeat(43) } })

/** A database of its own with the second domain's tables, and a store on it. */
export function openDomain(
  around?: Around,
  registry: StoredRegistry = secondDomain,
  quotas = storeOptions.quotas,
) {
  const sqlite = sqliteOf(new URL('migration.sql', import.meta.url))
  const roundTrips: (readonly string[])[] = []
  const db = sqliteD1(sqlite, (texts, run) => {
    roundTrips.push(texts)
    return around ? around(texts, run) : run()
  })
  const cipher = createCipher(ring)
  return {
    sqlite,
    db,
    cipher,
    /** The statements of each round trip so far. */
    roundTrips,
    store: d1Store({ ...storeOptions, registry, db, cipher, quotas }),
  }
}

type Cells = Readonly<Record<string, SQLInputValue>>

/** Adds rows to a table, past the service. */
export function insert(sqlite: DatabaseSync, table: string, ...rows: readonly Cells[]): void {
  for (const row of rows) {
    const names = Object.keys(row)
    sqlite
      .prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`)
      .run(...Object.values(row))
  }
}

/** A row of an article; what is folded follows from what is shown. */
export function article(id: string, cells: Cells = {}): Cells {
  const { title = `Title ${id}`, handle = `Handle-${id}`, section = 'News' } = cells
  return {
    article_no: id,
    keeper: 'ann',
    title,
    title_fold: String(title).toLowerCase(),
    handle,
    handle_fold: String(handle).toLowerCase(),
    section,
    section_fold: String(section).toLowerCase(),
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

/** Every row of every table, to see whether anything changed. */
export function dump(sqlite: DatabaseSync): unknown {
  const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  return tables.map(({ name }) => [name, sqlite.prepare(`SELECT * FROM "${name}"`).all()])
}
