import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getPlatformProxy } from 'wrangler'
import { paths } from '../../scripts/lib/config.ts'
import { recounts } from '../../scripts/operate/counters.ts'
import { fold, letters } from '../../src/jsonapi/declare/readable.ts'
import { statementsOf } from '../bench/data/database.ts'
import { databaseOf, type Placement } from './placement.ts'

/** A user as the simulation makes them. */
export interface Person {
  readonly id: string
  readonly fullName: string
  readonly email: string
  readonly citizenships: readonly string[]
  readonly relatives: readonly string[]
}

/** One database that holds all users, and those that share the same users, in the local runtime. */
export interface Databases {
  readonly all: D1Database
  readonly shards: readonly D1Database[]
  close(): Promise<void>
}

/** Bytes that a database takes on disk. */
export async function sizeOf(database: D1Database): Promise<number> {
  const { meta } = await database.prepare('SELECT 1').run()
  return meta.size_after
}

/** Starts the databases, migrates them as a deployment would, and fills them. */
export async function openDatabases(
  people: readonly Person[],
  placement: Placement,
): Promise<Databases> {
  const state = await mkdtemp(join(tmpdir(), 'scaling-'))
  const { env, dispose } = await getPlatformProxy<Record<string, D1Database>>({
    configPath: join(import.meta.dirname, 'wrangler.toml'),
    persist: { path: state },
  })
  const names = Object.keys(env).filter((name) => name.startsWith('USERS_'))
  const shards = names.sort().map((name) => bindingOf(env, name))
  const all = bindingOf(env, 'ALL')
  const migrations = await migrationTexts()
  const apart = await readFile(join(import.meta.dirname, 'users-database.sql'), 'utf8')
  await migrate(all, migrations)
  await fill(all, people)
  for (const [index, shard] of shards.entries()) {
    await migrate(shard, [...migrations, apart])
    await fill(
      shard,
      people.filter(({ id }) => databaseOf(placement, id) === index),
    )
  }
  return {
    all,
    shards,
    async close() {
      await dispose()
      await rm(state, { recursive: true, force: true })
    },
  }
}

function bindingOf(env: Record<string, D1Database>, name: string): D1Database {
  const database = env[name]
  if (!database) {
    throw new Error(`wrangler.toml names no database ${name}`)
  }
  return database
}

async function migrationTexts(): Promise<readonly string[]> {
  const files = (await readdir(paths.migrations)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(files.map((file) => readFile(join(paths.migrations, file), 'utf8')))
}

async function migrate(database: D1Database, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await database.batch(statementsOf(text).map((statement) => database.prepare(statement)))
  }
}

/** What these columns hold is as long as in a real row. */
const card = `v1.k1.${'A'.repeat(16)}.${'A'.repeat(47)}`
const addresses = '[{"city":"Oslo","zip":"0150"},{"city":"Bergen","zip":"5003","doorCode":"1234#"}]'

async function fill(database: D1Database, people: readonly Person[]): Promise<void> {
  // As the service does it: SQLite's own lower() knows ASCII only.
  const rows = JSON.stringify(
    people.map((person) => ({
      ...person,
      nameKey: letters(person.fullName),
      emailKey: fold(person.email),
    })),
  )
  const each = `json_each(?1) AS person`
  const run = (sql: string): D1PreparedStatement => database.prepare(sql).bind(rows)
  await database.batch([
    run(`INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, card, addresses)
      SELECT value ->> 'id', value ->> 'id', value ->> 'fullName', value ->> 'nameKey',
        value ->> 'email', value ->> 'emailKey', '${card}', '${addresses}' FROM ${each}`),
    run(`INSERT INTO user_citizenships SELECT person.value ->> 'id', country.value
      FROM ${each}, json_each(person.value, '$.citizenships') AS country`),
    run(`INSERT INTO user_relatives SELECT person.value ->> 'id', relative.value, 'BROTHER'
      FROM ${each}, json_each(person.value, '$.relatives') AS relative`),
    ...recounts.map((sql) => database.prepare(sql)),
  ])
}
