/// <reference path="./packages.d.ts" />
import { installed } from '../lib/install.ts'

/** The variable by which wrangler learns what is behind the binding HYPERDRIVE on this machine. */
export const hyperdriveVariable = 'CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE'

/** A connection to a server of PostgreSQL, for commands and tests. */
export interface Client {
  /** Runs one statement, or several without values. Whole numbers of the rows are numbers, as large as JavaScript holds them. */
  query<Row = Readonly<Record<string, unknown>>>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[] }>
  end(): Promise<void>
}

/** The types of whole numbers of 64 bits, and of sums of them. */
const numbers = [20, 1700]

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
