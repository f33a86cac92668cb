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

/** A Worker that runs statements on one of its databases: one call of Miniflare for each round trip. */
const contents = `export default {
  async fetch(request, env) {
    const { name, statements, raw } = await request.json()
    const prepared = statements.map(([text, ...values]) => env[name].prepare(text).bind(...values))
    try {
      return Response.json(await (raw ? prepared[0].raw() : env[name].batch(prepared)))
    } catch ({ message }) {
      return new Response(message, { status: 500 })
    }
  },
}`

type Sent = readonly [text: string, ...values: readonly unknown[]]

function onD1(count: number) {
  const names = Array.from({ length: count }, (_, nth) => `DB${nth}`)
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
          env: Object.fromEntries(names.map((name) => [name, { type: 'd1', id: name }])),
        },
      },
    ],
  })
  const send = async (name: string | undefined, statements: readonly Sent[], raw = false) => {
    const body = JSON.stringify({ name, statements, raw })
    const response = await miniflare.dispatchFetch('http://d1', { method: 'POST', body })
    const text = await response.text()
    if (!response.ok) {
      throw new Error(text)
    }
    return JSON.parse(text)
  }
  return {
    async create(tables: readonly SQLiteTable[]) {
      const name = names.shift()
      const bound = new WeakMap<object, Sent>()
      const prepare = (...sent: Sent): object => {
        const statement = {
          bind: (...values: readonly unknown[]) => prepare(sent[0], ...values),
          raw: () => send(name, [sent], true),
        }
        bound.set(statement, sent)
        return statement
      }
      const batch = (all: readonly object[]) =>
        send(
          name,
          all.flatMap((each) => [bound.get(each) as Sent]),
        )
      await send(
        name,
        creationsOf(tables).map((text): Sent => [text]),
      )
      return {
        database: openDatabase({ DB: { prepare, batch } } as never, {
          deadlineMs,
          replicated: false,
        }),
        run: (...texts: readonly string[]) =>
          send(
            name,
            texts.map((text): Sent => [text]),
          ),
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
        run: (...texts: readonly string[]) => client.query(texts.join(';')),
      }
    },
    async close() {
      for (const end of ends) {
        await end()
      }
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
