import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { openDatabase } from '#engine'
import { connected } from '../../../scripts/postgres/client.ts'
import { compatibility } from '../../support/compatibility.ts'
import { creationsOf } from '../db/creations.ts'

/** The address of the PostgreSQL server, in a run of `npm run test:postgres`. */
const server = (inject as (name: string) => string | undefined)('postgresUrl')

const options = { deadlineMs: 20_000, replicated: false }

/** Databases with tables as Drizzle has them declared: D1 itself, or PostgreSQL in a run of `npm run test:postgres`. */
export const databasesFor = (count: number) => (server ? onPostgres(server) : onD1(count))

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
            modules: { 'worker.js': { type: 'esm', contents: 'export default {}' } },
          },
          env: Object.fromEntries(names.map((name) => [name, { type: 'd1', id: name }])),
        },
      },
    ],
  })
  return {
    async create(tables: readonly SQLiteTable[]) {
      const DB = await miniflare.getD1Database(names.shift() ?? '')
      const run = (...texts: readonly string[]) => DB.batch(texts.map((text) => DB.prepare(text)))
      await run(...creationsOf(tables))
      return { database: openDatabase({ DB } as never, options), run, drop: async () => {} }
    },
    close: () => miniflare.dispose(),
  }
}

async function onPostgres(url: string) {
  const admin = await connected(url)
  return {
    async create(tables: readonly SQLiteTable[]) {
      const schema = `declared_${crypto.randomUUID().replaceAll('-', '')}`
      await admin.query(`CREATE SCHEMA ${schema}`)
      const own = new URL(url)
      own.searchParams.set('options', `-c search_path=${schema}`)
      const client = await connected(own.href)
      const run = (...texts: readonly string[]) => client.query(texts.join(';'))
      await run(...creationsOf(tables))
      const HYPERDRIVE = { connectionString: own.href }
      return {
        database: openDatabase({ HYPERDRIVE } as never, options),
        run,
        async drop() {
          await client.end()
          await admin.query(`DROP SCHEMA ${schema} CASCADE`)
        },
      }
    },
    close: () => admin.end(),
  }
}
