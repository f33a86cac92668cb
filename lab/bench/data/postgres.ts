import { setTimeout } from 'node:timers/promises'
import { type Client, connected } from '../../../scripts/postgres/client.ts'
import { migrate } from '../../../scripts/postgres/migrate.ts'
import { startPostgres } from '../../../scripts/postgres/server.ts'
import type { Cost } from '../probes.ts'
import type { Database } from './database.ts'
import { costIn, plansIn } from './plans.ts'

/** A database of PostgreSQL with all tables, countries and currencies, on a server of its own. */
export interface PostgresDatabase {
  /** The address for the Worker. Nothing stands in the place of Hyperdrive: no row or page of a statement depends on that. */
  readonly url: string
  /** To fill it: no foreign key is checked. */
  readonly db: Database
  /** Cleans and analyzes the tables, as the server itself would in time. */
  readonly settle: () => Promise<void>
  /** Has the server tell the plan of each statement in its log, as far as connections are new. */
  readonly explain: () => Promise<void>
  /** What was done since it was asked last. */
  readonly cost: () => Promise<Cost>
  readonly stop: () => Promise<void>
}

/** Settings of the module `auto_explain`. To time each step of a plan would slow it down. */
const explaining = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
}

/** Starts a server with a database that is migrated. */
export async function postgresDatabase(): Promise<PostgresDatabase> {
  const { url, said, stop } = await startPostgres()
  await migrate(url)
  const client = await connected(url)
  await client.query('SET session_replication_role = replica')
  let seen = 0
  let marks = 0
  return {
    url,
    db: databaseOn(client),
    async settle() {
      await client.query('VACUUM (ANALYZE)')
      await client.query('CHECKPOINT')
    },
    async explain() {
      for (const [name, value] of Object.entries(explaining)) {
        await client.query(`ALTER ROLE CURRENT_USER SET ${name} = '${value}'`)
      }
    },
    async cost() {
      marks += 1
      const mark = `mark ${marks};`
      await client.query(`DO $$ BEGIN RAISE LOG '${mark}'; END $$`)
      while (!said.slice(seen).some((line) => line.includes(`LOG:  ${mark}`))) {
        await setTimeout(1)
      }
      const lines = said.slice(seen)
      seen = said.length
      return costIn(plansIn(lines))
    },
    async stop() {
      await client.end()
      await stop()
    },
  }
}

/** PostgreSQL as the part of D1 that loading takes. */
function databaseOn(client: Client): Database {
  const statement = (sql: string, values: readonly unknown[] = []) => ({
    bind: (...given: unknown[]) => statement(sql, given),
    async raw() {
      const { rows } = await client.query<object>(sql.replaceAll('?1', '$1'), values)
      return rows.map((row) => Object.values(row))
    },
  })
  return {
    prepare: statement,
    async batch(statements) {
      await client.query('BEGIN')
      for (const each of statements) {
        await each.raw()
      }
      await client.query('COMMIT')
    },
  }
}
