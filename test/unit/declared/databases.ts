import { getTableName, is } from 'drizzle-orm'
import { PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import {
  type SQLiteColumn,
  type SQLiteTable,
  getTableConfig as sqliteConfig,
} from 'drizzle-orm/sqlite-core'
import { Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { openDatabase } from '#engine'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import { connected } from '../../../scripts/postgres/client.ts'
import { counters } from '../../../src/db/schema.ts'
import { idempotencyKeys } from '../../../src/idempotency/stored-keys.ts'

/** The address of the PostgreSQL server, in a run of `npm run test:postgres`. */
const server = (inject as (name: string) => string | undefined)('postgresUrl')

const deadlineMs = 20_000

/** Databases with tables as Drizzle has them declared: D1 itself, or PostgreSQL in a run of `npm run test:postgres`. */
export const databasesFor = (count: number) => (server ? onPostgres(server) : onD1(count))

function onD1(count: number) {
  const databases = Array.from(
    { length: count },
    (_, nth) => [`DB${nth}`, { type: 'd1', id: `${nth}` }] as const,
  )
  const contents = 'export default { fetch: () => new Response() }'
  const miniflare = new Miniflare({
    cf: false,
    workers: [
      {
        config: {
          name: 'd1',
          compatibilityDate: compatibility.date,
          manifest: {
            mainModule: 'worker.js',
            modulesRoot: '/',
            modules: { 'worker.js': { type: 'esm', contents } },
          },
          env: Object.fromEntries(databases),
        },
      },
    ],
  })
  let made = 0
  return {
    async create(tables: readonly SQLiteTable[]) {
      const d1 = await miniflare.getD1Database(`DB${made++}`, 'd1')
      await d1.batch(creationsOf(tables).map((text) => d1.prepare(text)))
      return {
        database: openDatabase({ DB: d1 } as never, { deadlineMs, replicated: false }),
        run: async (text: string) => (await d1.prepare(text).all()).results,
      }
    },
    close: () => miniflare.dispose(),
  }
}

async function onPostgres(url: string) {
  const admin = await connected(url)
  const ends: (() => Promise<void>)[] = []
  return {
    async create(tables: readonly SQLiteTable[]) {
      const schema = `declared_${crypto.randomUUID().replaceAll('-', '')}`
      await admin.query(`CREATE SCHEMA ${schema}`)
      const own = new URL(url)
      own.searchParams.set('options', `-c search_path=${schema}`)
      const client = await connected(own.href)
      await client.query(creationsOf(tables).join(';'))
      ends.push(async () => {
        await client.end()
        await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      })
      const HYPERDRIVE = { connectionString: own.href }
      return {
        database: openDatabase({ HYPERDRIVE } as never, { deadlineMs, replicated: false }),
        run: async (text: string) => (await client.query(text)).rows,
      }
    },
    async close() {
      await Promise.all(ends.map((end) => end()))
      await admin.end()
    },
  }
}

/** The statements that make tables, with those that every service has. */
function creationsOf(tables: readonly SQLiteTable[]): string[] {
  const all = [...tables, counters, idempotencyKeys].map(creationOf)
  return [...all.map(([creation]) => creation), ...all.flatMap(([, further]) => further)]
}

const quoted = (name: string | undefined) => `"${name?.replaceAll('"', '""')}"`

/** The statement that makes a table, and those that follow when all tables are there. */
function creationOf(table: SQLiteTable): readonly [creation: string, further: readonly string[]] {
  const isPg = is(table, PgTable)
  const config = isPg
    ? (pgConfig(table) as unknown as ReturnType<typeof sqliteConfig>)
    : sqliteConfig(table)
  const { name, columns, primaryKeys, foreignKeys, indexes } = config
  const listed = (all: readonly { readonly name: string }[]) => all.map((one) => quoted(one.name))
  const parts = columns.map((column) => {
    const held = column.default === undefined ? undefined : column.mapToDriverValue(column.default)
    const value = held === undefined ? '' : ` DEFAULT '${held}'`
    const key = column.primary ? ' PRIMARY KEY' : ''
    return `${quoted(column.name)} ${column.getSQLType()}${key}${column.notNull ? ' NOT NULL' : ''}${value}`
  })
  const keys = primaryKeys.map((key) => `PRIMARY KEY (${listed(key.columns)})`)
  const references = foreignKeys.map(({ reference, onDelete = 'no action' }) => {
    const { columns, foreignColumns, foreignTable } = reference()
    const target = `${quoted(getTableName(foreignTable))} (${listed(foreignColumns)})`
    return `FOREIGN KEY (${listed(columns)}) REFERENCES ${target} ON DELETE ${onDelete}`
  })
  const made = indexes.map(({ config: { name: index, unique, columns } }) => {
    const kind = unique ? 'UNIQUE INDEX' : 'INDEX'
    return `CREATE ${kind} ${quoted(index)} ON ${quoted(name)} (${listed(columns as SQLiteColumn[])})`
  })
  // SQLite has no foreign key that is added later, PostgreSQL none to a table that is made later.
  const added = isPg ? references.map((one) => `ALTER TABLE ${quoted(name)} ADD ${one}`) : []
  const all = [...parts, ...keys, ...(isPg ? [] : references)]
  return [`CREATE TABLE ${quoted(name)} (${all})`, [...made, ...added]]
}
