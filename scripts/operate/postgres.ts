import type { SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import { onDatabase } from '../lib/complaint.ts'
import { addressIn, isOnThisMachine, nameOf, reached } from '../postgres/address.ts'
import type { Client } from '../postgres/client.ts'
import type { Database, Row } from './database.ts'

/** How often a transaction is tried that was in the way of others. */
const mostAttempts = 8

/** SQLSTATEs of transactions that were in the way of others. */
const passing = new Set(['40001', '40P01'])

const dialect = new PgDialect()

/**
 * The database that POSTGRES_URL names.
 *
 * @throws a complaint where the variable is no address of a database
 */
export function postgres(env: NodeJS.ProcessEnv = process.env): Database {
  const url = addressIn(env)
  const name = `the database ${nameOf(url)}`
  let connecting: Promise<Client> | undefined
  return {
    isLocal: isOnThisMachine(url),
    name,
    query: (statements) =>
      onDatabase(name, async () => {
        connecting ??= reached(url)
        return inOneTransaction(await connecting, statements)
      }),
    async close() {
      await (await connecting)?.end()
    },
  }
}

/** Runs statements on a connection, one after the other, and gives the rows of each. */
export async function runAll(
  client: Client,
  statements: readonly SQL[],
): Promise<readonly (readonly Row[])[]> {
  const results: (readonly Row[])[] = []
  for (const statement of statements) {
    const { sql, params } = dialect.sqlToQuery(statement)
    results.push((await client.query<Row>(sql, params)).rows)
  }
  return results
}

/** Runs statements as if nothing else happened meanwhile; where something does, again. */
async function inOneTransaction(
  client: Client,
  statements: readonly SQL[],
  attempt = 1,
): Promise<readonly (readonly Row[])[]> {
  try {
    return await drizzle(client).transaction(() => runAll(client, statements), {
      isolationLevel: 'serializable',
    })
  } catch (error) {
    // Drizzle wraps the error of COMMIT.
    const { code } = ((error as Error).cause ?? error) as { readonly code?: string }
    if (passing.has(String(code)) && attempt < mostAttempts) {
      return inOneTransaction(client, statements, attempt + 1)
    }
    throw error
  }
}
