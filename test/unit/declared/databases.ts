import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { inject } from 'vitest'
import { openDatabase } from '#engine'
import { connected } from '../../../scripts/postgres/client.ts'
import { creationsOf } from '../db/creations.ts'
import { type Sent, startD1 } from '../db/real-d1.ts'

/** The address of the PostgreSQL server, in a run of `npm run test:postgres`. */
const server = (inject as (name: string) => string | undefined)('postgresUrl')

const deadlineMs = 20_000

/** Databases with tables as Drizzle has them declared: D1 itself, or PostgreSQL in a run of `npm run test:postgres`. */
export const databasesFor = (count: number) => (server ? onPostgres(server) : onD1(count))

function onD1(count: number) {
  const names = Array.from({ length: count }, (_, nth) => `DB${nth}`)
  const d1 = startD1(...names)
  return {
    async create(tables: readonly SQLiteTable[]) {
      const { send, database: DB } = d1.open(names.shift() ?? '')
      const run = (...texts: readonly string[]) => send(...texts.map((text): Sent => [text]))
      await run(...creationsOf(tables))
      const options = { deadlineMs, replicated: false }
      return { database: openDatabase({ DB } as never, options), run, drop: async () => {} }
    },
    close: d1.close,
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
      await client.query(creationsOf(tables).join(';'))
      const HYPERDRIVE = { connectionString: own.href }
      return {
        database: openDatabase({ HYPERDRIVE } as never, { deadlineMs, replicated: false }),
        run: (...texts: readonly string[]) => client.query(texts.join(';')),
        async drop() {
          await client.end()
          await admin.query(`DROP SCHEMA ${schema} CASCADE`)
        },
      }
    },
    close: () => admin.end(),
  }
}
