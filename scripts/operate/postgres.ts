import { addressIn, isOnThisMachine, nameOf, reached } from '../postgres/address.ts'
import type { Client } from '../postgres/client.ts'
import type { Database, Row } from './database.ts'

/** How often a transaction is tried that was in the way of others. */
const mostAttempts = 8

/** SQLSTATEs of transactions that were in the way of others. */
const passing = new Set(['40001', '40P01'])

/**
 * The database that POSTGRES_URL names. Each call has a connection of its own.
 *
 * @throws a complaint where the variable is no address of a database
 */
export function postgres(env: NodeJS.ProcessEnv = process.env): Database {
  const url = addressIn(env)
  return {
    engine: 'postgres',
    isLocal: isOnThisMachine(url),
    name: `the database ${nameOf(url)}`,
    async query(statements) {
      if (statements.length === 0) {
        return []
      }
      const client = await reached(url)
      try {
        return await inOneTransaction(client, statements)
      } finally {
        await client.end()
      }
    },
  }
}

/** Runs statements as if nothing else happened meanwhile; where something does, again. */
async function inOneTransaction(
  client: Client,
  statements: readonly string[],
  attempt = 1,
): Promise<(readonly Row[])[]> {
  await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
  try {
    const results: (readonly Row[])[] = []
    for (const sql of statements) {
      results.push((await client.query<Row>(sql)).rows)
    }
    await client.query('COMMIT')
    return results
  } catch (error) {
    await client.query('ROLLBACK')
    if (passing.has(String((error as { code?: string }).code)) && attempt < mostAttempts) {
      return inOneTransaction(client, statements, attempt + 1)
    }
    throw error
  }
}
