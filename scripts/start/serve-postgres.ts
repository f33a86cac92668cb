import { complaint } from '../lib/complaint.ts'
import { type LocalConfig, paths, secretsOf } from '../lib/config.ts'
import { postgres } from '../operate/postgres.ts'
import { addressIn, nameOf, reached } from '../postgres/address.ts'
import { hyperdriveVariable } from '../postgres/client.ts'
import { demandLocale, demandRights, demandTimeouts } from '../postgres/demands.ts'
import { migrate } from '../postgres/migrate.ts'
import { ownDatabase } from '../postgres/own-database.ts'
import { loadDemo } from './demo.ts'
import { cardKeys } from './keys.ts'
import { demandVariables } from './prepare.ts'
import { serve } from './serve.ts'

/**
 * Runs the service on PostgreSQL: on the server that POSTGRES_URL names, or on one that it starts and ends itself.
 *
 * @throws a complaint as `serve` does, when the server does not start or cannot be reached, and when its database is in use elsewhere
 */
export async function servePostgres(config: LocalConfig): Promise<void> {
  const { POSTGRES_URL: given } = process.env
  const url = given === undefined ? await ownDatabase() : addressIn(process.env)
  const client = await reached(url)
  try {
    await demandLocale(client)
    await demandTimeouts(client)
    await demandRights(client)
    await demandDemo(client)
  } finally {
    await client.end()
  }
  const ring = await cardKeys(secretsOf())
  await demandVariables(paths.postgresConfig, undefined)
  console.log('Bringing the database up to date')
  await migrate(url).catch((error: Error) => {
    throw complaint(`The tables cannot be brought up to date: ${error.message}`, error)
  })
  const database = postgres({ POSTGRES_URL: url })
  await loadDemo(database, ring).finally(database.close)
  const dev = { config: paths.postgresConfig, env: { [hyperdriveVariable]: url } }
  // The address of a server of one's own may hold a password that is not for terminals.
  await serve(config, dev, given === undefined ? url : nameOf(url))
}

/**
 * Sees that a database holds demo data, or nobody yet: a shell may still hold the address of one that is in use, and anybody on this
 * machine gets tokens of the local service.
 *
 * @throws a complaint where it holds other users
 */
export async function demandDemo(client: {
  query(sql: string): Promise<{ readonly rows: readonly unknown[] }>
}): Promise<void> {
  const { rows: tables } = await client.query(
    "SELECT 1 WHERE to_regclass('users') IS NOT NULL AND to_regclass('demo_data') IS NULL",
  )
  if (tables.length > 0 && (await client.query('SELECT 1 FROM users LIMIT 1')).rows.length > 0) {
    throw complaint(
      'The database that POSTGRES_URL names holds users and no demo data: it is not for this service. Nothing was changed.',
    )
  }
}
