import { migrationsIn } from '../../scripts/deploy/schema.ts'
import { paths } from '../../scripts/lib/config.ts'
import { foldCase, sortKey } from '../../src/db/stored.ts'
import { type Person, person } from './people.ts'

/** The part of a D1 database that loading takes. */
export interface Database {
  prepare(sql: string): Statement
  batch(statements: Statement[]): Promise<unknown>
}

interface Statement {
  bind(...values: unknown[]): Statement
  raw(): Promise<unknown[][]>
}

/** What the database is filled with. */
export interface LoadOptions {
  readonly people: number
  /** Makes what the column `card` holds. */
  readonly seal: (userId: string, cardNumber: string) => Promise<string | null>
}

/** People in one round trip: their rows stay well below the 2 MB that D1 takes in a parameter. */
const chunk = 2_000

/** Each takes a JSON array of rows: D1 binds at most 100 values to a statement. */
const inserts = {
  users: `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, card, addresses, place_of_birth)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
    FROM json_each(?1)`,
  citizenships: `INSERT INTO user_citizenships (user_id, country_id)
    SELECT value ->> 0, value ->> 1 FROM json_each(?1)`,
  relatives: `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)`,
} as const

/** Makes the tables, with countries and currencies, and fills in the people. */
export async function loadDatabase(
  db: Database,
  { people: total, seal }: LoadOptions,
): Promise<void> {
  await migrate(db)
  const countries = await db.prepare('SELECT id FROM countries ORDER BY id').raw()
  const ids = countries.map(([id]) => String(id))
  // Relatives come last: they refer to any people.
  for (const names of [['users', 'citizenships'], ['relatives']] as const) {
    for (let start = 0; start < total; start += chunk) {
      const people = Array.from({ length: Math.min(chunk, total - start) }, (_, nth) =>
        person(start + nth, total, ids),
      )
      const rows = await rowsOf(people, seal)
      const fill = names.map((name) => db.prepare(inserts[name]).bind(JSON.stringify(rows[name])))
      await db.batch(fill)
    }
  }
  const count = "UPDATE counters SET value = (SELECT count(*) FROM users) WHERE name = 'users'"
  await db.prepare(count).raw()
}

/** Makes the tables, with countries and currencies. */
async function migrate(db: Database): Promise<void> {
  for (const { sql } of migrationsIn(paths.migrations)) {
    // A statement ends at the end of a line.
    const statements = sql.replace(/^--.*$/gm, '').split(/;\n/)
    const whole = statements.filter((statement) => statement.trim() !== '')
    await db.batch(whole.map((statement) => db.prepare(statement)))
  }
}

async function rowsOf(people: readonly Person[], seal: LoadOptions['seal']) {
  const users = people.map(async (one) => {
    const { id, owner, fullName, email, cardNumber, addresses, placeOfBirth } = one
    const names = [fullName, sortKey(fullName), email, foldCase(email)]
    const card = await seal(id, cardNumber)
    return [id, owner, ...names, card, JSON.stringify(addresses), placeOfBirth]
  })
  return {
    users: await Promise.all(users),
    citizenships: people.flatMap(({ id, citizenships }) => citizenships.map((to) => [id, to])),
    relatives: people.flatMap(({ id, relatives }) => relatives.map(([to, is]) => [id, to, is])),
  }
}
