import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cardsUnder } from '../../scripts/lib/cards.ts'
import { databaseFrom } from '../../scripts/operate/choose.ts'
import type { Database } from '../../scripts/operate/database.ts'
import { erasePerson, personalData, personalRows } from '../../scripts/operate/personal-data.ts'
import { postgres } from '../../scripts/operate/postgres.ts'
import { resealCards } from '../../scripts/operate/reseal-cards.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { demoStatements } from '../../scripts/start/demo.ts'
import { servePostgres } from '../../scripts/start/serve-postgres.ts'
import { cardKeys } from '../support/card-keys.ts'
import { migratedDatabase } from '../unit/migrations/database.ts'
import { databaseOn } from '../unit/scripts/operate/database-on.ts'
import { type OwnedDatabase, ownedDatabase } from './owned-database.ts'
import { oneWaits } from './stores.ts'

let owned: OwnedDatabase
/** The same people in both. */
let databases: Record<'d1' | 'postgres', Database>

beforeAll(async () => {
  owned = await ownedDatabase()
  await migrate(owned.url)
  const sqlite = migratedDatabase()
  databases = {
    d1: databaseOn(sqlite),
    postgres: postgres({ POSTGRES_URL: owned.url }),
  }
  await alike(async (database) => {
    await database.query(await demoStatements(cardsUnder(cardKeys).seal))
  })
})
afterAll(async () => {
  await databases.postgres.close()
  await owned.drop()
})

/** The same of each, which is what D1 says. */
async function alike<Value>(ask: (database: Database) => Promise<Value>): Promise<Value> {
  const [one, other] = [await ask(databases.d1), await ask(databases.postgres)]
  expect(other).toEqual(one)
  return one
}

/** The number of users that the service tells, and how many there are. */
async function counts({ query }: Database): Promise<number[]> {
  const [[row] = []] = await query([
    sql`select sum(value) as value, (select count(*) from users) as users from counters`,
  ])
  return [row?.value, row?.users].map(Number)
}

describe('What operators do with the database, on PostgreSQL as on D1', () => {
  it('a person is told, and what refers to them', async () => {
    const { owned: told, references } = await alike(async (database) => {
      const { owned, references } = await personalData(database, '1', cardKeys)
      const sorted = (rows: Record<string, readonly object[]>) =>
        Object.fromEntries(
          Object.entries(rows).map(([table, some]) => [
            table,
            some.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort(),
          ]),
        )
      return { owned: sorted(owned), references: sorted(references) }
    })
    expect(told.users).toHaveLength(5)
    expect(told.users?.[0]).toContain('4242 4242 4242 4242')
    expect(Object.keys(references).sort()).toEqual(['user_citizenships', 'user_relatives'])
    await alike(({ query }) => query([sql`select * from users where owner = ${"no ' body"}`]))
  })

  it('card numbers are put under another key, all of them', async () => {
    const keys = { test: 'A'.repeat(43), next: `B${'A'.repeat(42)}` }
    const ring = JSON.stringify({ current: 'next', keys })
    expect(await alike((database) => resealCards(database, ring))).toBeGreaterThan(3)
    expect(await alike((database) => resealCards(database, ring))).toBe(0)
    const { owned: told } = await personalData(databases.postgres, '1', ring)
    expect(told.users?.find(({ id }) => id === '1')?.card).toBe('4242 4242 4242 4242')
  })

  it('a person is erased without a trace, and the number of users goes down', async () => {
    const rows = { users: 5, user_citizenships: 6, user_relatives: 8 }
    expect(await alike((database) => personalRows(database, '1'))).toEqual(rows)
    await alike((database) => erasePerson(database, '1'))
    const [told, users] = await alike(counts)
    expect(told).toBe(users)
    expect(await alike((database) => personalRows(database, '1'))).toEqual({})
  })

  it('statements are one transaction, which is tried again where others are in its way', async () => {
    const { postgres: database } = databases
    await expect(
      database.query([sql`update counters set value = 0`, sql`select nothing`]),
    ).rejects.toThrow('column "nothing" does not exist')
    const before = await counts(database)
    await database.query([
      sql`insert into users (id, owner, full_name, full_name_key, email, email_key) values ('h', 'hindered', 'h', 'h', 'h', 'h')`,
      sql`update counters set value = value + 1 where name = 'users'`,
    ])
    await owned.admin.query("BEGIN; UPDATE counters SET value = value + 5 WHERE name = 'users'")
    const erasing = erasePerson(database, 'hindered')
    await oneWaits(owned.admin)
    await owned.admin.query("UPDATE counters SET value = value - 5 WHERE name = 'users'; COMMIT")
    await erasing
    expect(await counts(database)).toEqual(before)
  })
})

it.each([
  [{ database: 'oracle' }, /^--database must be one of d1, postgres, not "oracle"\.$/],
  [{ database: 'postgres', env: 'production' }, /^POSTGRES_URL names the database/],
  [{ database: 'postgres', remote: true }, /^POSTGRES_URL names the database/],
])('The option --database refuses %j', async (options, words) => {
  await expect(databaseFrom(options)).rejects.toThrow(words)
})

it('A server that POSTGRES_URL tells is told in one line where the user may not make tables', async () => {
  const empty = await ownedDatabase()
  vi.stubEnv('POSTGRES_URL', empty.service.url)
  const ports = { port: 1, authPort: 2, origin: '', issuer: '' }
  const error = await servePostgres(ports).catch((reason) => reason)
  vi.unstubAllEnvs()
  await empty.drop()
  expect(error.name).toBe('Complaint')
  expect(error.message).toMatch(/^The tables cannot be brought up to date: .*permission denied/)
})
