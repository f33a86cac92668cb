/// <reference path="./packages.d.ts" />
import type { Client as PgClient } from 'pg'
import { installed } from '../lib/install.ts'

/** The variable by which wrangler learns what is behind the binding HYPERDRIVE on this machine. */
export const hyperdriveVariable = 'CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE'

/** A connection to a server of PostgreSQL, for commands and tests. Whole numbers of its rows are numbers, as large as JavaScript holds them. */
export type Client = PgClient

/** The types of whole numbers of 64 bits, and of sums of them. */
const numbers = [20, 1700]

/** Timeouts that a database or a role may have for the service, and that end what takes long. Not every version has all of them. */
const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

/** Connects to the database at an address. */
export async function connected(url: string): Promise<Client> {
  await installed(import.meta.dirname)
  const { default: pg } = await import('pg')
  // What stands between may forget a connection over which nothing goes for minutes.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
  })
  for (const type of numbers) {
    client.setTypeParser(type, Number)
  }
  // Where the connection is lost, the next query fails.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Lets the statements of a connection take as long as they need, and wait 5 s at most for a table that requests use. */
export async function takeTime(client: Client): Promise<void> {
  await client.query(
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = ANY ($1) UNION ALL SELECT set_config('lock_timeout', '5s', false)",
    [timeouts],
  )
}
