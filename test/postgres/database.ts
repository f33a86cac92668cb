import { paths } from '../../scripts/lib/config.ts'
import { addressIn, isOnThisMachine, nameOf, reached } from '../../scripts/postgres/address.ts'
import { type Client, connected, hyperdriveVariable } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { startPostgres } from '../../scripts/postgres/server.ts'
import type { SqlStatement } from '../support/back-door.ts'
import { type DatabaseBatch, type DatabaseKind, demoData } from '../support/databases.ts'

/** Starts a server, or takes the one that POSTGRES_URL tells. Its databases are made as copies of one that is migrated. */
async function testServer() {
  const { POSTGRES_URL, POSTGRES_TESTS_ANYWHERE } = process.env
  const given = POSTGRES_URL && addressIn(process.env)
  // A shell may still hold the address of production.
  if (given && !isOnThisMachine(given) && POSTGRES_TESTS_ANYWHERE !== 'true') {
    throw new Error(
      `Tests would make databases beside ${nameOf(given)}: unset POSTGRES_URL, or say POSTGRES_TESTS_ANYWHERE=true.`,
    )
  }
  const server = given ? { url: given } : await startPostgres()
  const admin = await reached(server.url)
  if (!given) {
    // Each request connects anew: 4,096 rounds of SCRAM, on both sides, would be a good part of what the tests take.
    const { username, password } = new URL(server.url)
    await admin.query(`SET scram_iterations = 1; ALTER ROLE ${username} PASSWORD '${password}'`)
  }
  const made: string[] = []
  const create = async (template?: string): Promise<string> => {
    const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
    await admin.query(`CREATE DATABASE ${name} ${template ? `TEMPLATE ${template}` : ''}`)
    made.push(name)
    return name
  }
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const plain = await create()
  await migrate(urlOf(plain))
  const demo = await create(plain)
  await loadDemo(urlOf(demo))
  return {
    server,
    /** The address of a new database, which has the demo data or else the reference data alone. */
    newDatabase: async (withDemo: boolean) => urlOf(await create(withDemo ? demo : plain)),
    async close() {
      if (given) {
        for (const name of made) {
          await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
        }
      }
      await admin.end()
      if ('stop' in server) {
        await server.stop()
      }
    },
  }
}

async function loadDemo(url: string): Promise<void> {
  const client = await connected(url)
  for (const [sql, ...values] of await demoData()) {
    await client.query(asPostgres(sql), values)
  }
  await client.end()
}

/** What tests write for SQLite, and what PostgreSQL takes in its place. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/\?(\d+)/g, '$$$1'],
  [/^INSERT OR IGNORE (.*)$/s, 'INSERT $1 ON CONFLICT DO NOTHING'],
  [/^(.*value ->> .*)json_each\((\$\d)\)/s, '$1jsonb_array_elements($2::jsonb)'],
  [/json_each\((\$\d)\)/g, 'jsonb_array_elements_text($1::jsonb)'],
  [
    /sqlite_schema/,
    "(SELECT tablename AS name, 'table' AS type FROM pg_tables WHERE schemaname = 'public') AS t",
  ],
]

/** A statement that is written for SQLite, as PostgreSQL takes it. */
function asPostgres(sql: string): string {
  return spellings.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    sql.trim().replace(/;$/, ''),
  )
}

/** PostgreSQL, as the Workers under test use it. */
export async function postgres(): Promise<DatabaseKind & Awaited<ReturnType<typeof testServer>>> {
  const tests = await testServer()
  let starting: Promise<void> = Promise.resolve()
  const clients: Client[] = []
  return {
    ...tests,
    name: 'PostgreSQL',
    config: paths.postgresConfig,
    // Forty transactions that wait for one row wait longer than usual where the machine is slow. Deadlines have tests of their own.
    vars: { D1_DEADLINE_MS: '20000' },
    async prepare() {
      const before = starting
      const { promise, resolve } = Promise.withResolvers<void>()
      starting = promise
      await before
      const url = await tests.newDatabase(true)
      // Wrangler takes the address from here, so that one Worker starts after the other.
      process.env[hyperdriveVariable] = url
      return async () => {
        resolve()
        const client = await connected(url)
        clients.push(client)
        return (statements) => batch(client, statements)
      }
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
      await tests.close()
    },
  }
}

/** A database of PostgreSQL that is there, as one Worker uses it. */
export const postgresAt = (url: string): DatabaseKind => ({
  name: 'PostgreSQL',
  config: paths.postgresConfig,
  async prepare() {
    process.env[hyperdriveVariable] = url
    return async () => async () => []
  },
  async close() {},
})

async function batch(
  client: Client,
  statements: readonly SqlStatement[],
): ReturnType<DatabaseBatch> {
  await client.query('BEGIN')
  try {
    const results: (readonly Record<string, unknown>[])[] = []
    for (const [sql, ...values] of statements) {
      results.push((await client.query(asPostgres(sql), values)).rows)
    }
    await client.query('COMMIT')
    return results
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
