import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/rows.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { type LocalConfig, paths, secretsOf } from '../lib/config.ts'
import { type Client, connected, hyperdriveVariable } from '../postgres/client.ts'
import { migrate } from '../postgres/migrate.ts'
import { ownDatabase } from '../postgres/own-database.ts'
import { demoStatements } from './demo.ts'
import { cardKeys } from './keys.ts'
import { serve } from './serve.ts'

/**
 * Runs the service on PostgreSQL: on the server that POSTGRES_URL tells, or on one that it starts and ends itself.
 *
 * @returns never: it goes on until the process ends
 * @throws a complaint as `serve` does, and when the server does not start or cannot be reached
 */
export async function servePostgres(config: LocalConfig): Promise<void> {
  const ring = await cardKeys(secretsOf())
  const url = process.env.POSTGRES_URL ?? (await ownDatabase()).url
  await serve(config, {
    async prepare() {
      console.log('Bringing the database up to date')
      await migrate(url)
      await loadDemo(url, ring)
    },
    dev: { config: paths.postgresConfig, env: { [hyperdriveVariable]: url } },
  })
}

/** Loads the demo data once: people who were deleted since do not come back. */
async function loadDemo(url: string, ring: string): Promise<void> {
  const client = await connected(url)
  if (!(await isLoaded(client))) {
    const cipher = createCipher(parseKeyRing(ring))
    const statements = await demoStatements({
      encrypt: (id, cardNumber) =>
        cipher.encrypt(cardNumber, sealContext('users', id, 'creditCardNumber')),
    })
    await client.query(
      ['CREATE TABLE demo_data (loaded_at timestamptz DEFAULT now());', ...statements].join('\n'),
    )
  }
  await client.end()
}

async function isLoaded(client: Client): Promise<boolean> {
  const { rows } = await client.query("SELECT 1 WHERE to_regclass('demo_data') IS NOT NULL")
  return rows.length > 0
}
