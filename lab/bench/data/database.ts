import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recounts } from '../../../scripts/operate/counters.ts'
import { fold, letters } from '../../../src/jsonapi/declare/readable.ts'
import { type Person, person } from './people.ts'

/** The part of a D1 database that loading takes. A statement has one parameter at most, which is `?1`. */
export interface Database {
  prepare(sql: string): Statement
  batch(statements: Statement[]): Promise<unknown>
}

interface Statement {
  bind(...values: unknown[]): Statement
  raw(): Promise<unknown[][]>
}

/** A D1 database that tells what its statements cost. */
export interface MeteredDatabase extends Database {
  prepare(sql: string): MeteredStatement
}

interface MeteredStatement extends Statement {
  bind(...values: unknown[]): MeteredStatement
  run(): Promise<{ readonly meta: { readonly rows_read: number; readonly rows_written: number } }>
}

/** What the database is filled with. */
export interface LoadOptions {
  readonly people: number
  /** Makes what the column `card` holds. */
  readonly seal: (userId: string, cardNumber: string) => Promise<string | null>
  /** The id of a person that is related to all others too. */
  readonly hub?: string
}

const migrations = join(import.meta.dirname, '..', '..', '..', 'migrations')

/** People in one round trip: their rows stay well below the 2 MB that D1 takes in a parameter. */
const chunk = 2_000

/** The indexes of user_relatives, each with the statement that makes it. */
const findIndexes =
  "SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'user_relatives' AND sql LIKE 'CREATE INDEX%'"

/** Each but the last is followed by a JSON array of rows: D1 binds at most 100 values to a statement. */
const inserts = {
  users: `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, card, addresses, place_of_birth)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
    FROM`,
  citizenships: `INSERT INTO user_citizenships (user_id, country_id)
    SELECT value ->> 0, value ->> 1 FROM`,
  relatives: `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM`,
  hub: `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
    SELECT ?1, id, 'BROTHER' FROM users WHERE id <> ?1 ON CONFLICT DO NOTHING`,
} as const

/** Makes the tables, with countries and currencies, and fills in the people. */
export async function loadDatabase(db: Database, options: LoadOptions): Promise<void> {
  const { people: total } = options
  await makeTables(db)
  const countries = (await db.prepare('SELECT id FROM countries ORDER BY id').raw()).map(([id]) =>
    String(id),
  )
  for (let start = 0; start < total; start += chunk) {
    const length = Math.min(chunk, total - start)
    const people = Array.from({ length }, (_, index) => person(start + index, total, countries))
    const rows = await rowsOf(people, options.seal)
    const fill = (name: 'users' | 'citizenships'): Statement =>
      db.prepare(`${inserts[name]} json_each(?1)`).bind(JSON.stringify(rows[name]))
    await db.batch([fill('users'), fill('citizenships')])
  }
  await db.batch(recounts.map((sql) => db.prepare(sql)))
  // Relatives come last, since they refer to any people. Their index is made when all rows are there.
  const indexes = await db.prepare(findIndexes).raw()
  await db.batch(indexes.map(([name]) => db.prepare(`DROP INDEX ${name}`)))
  for (let start = 0; start < total; start += chunk) {
    const length = Math.min(chunk, total - start)
    const relatives = Array.from({ length }, (_, index) => {
      const { id, relatives } = person(start + index, total, countries)
      return relatives.map(([to, is]) => [id, to, is])
    }).flat()
    const fill = db.prepare(`${inserts.relatives} json_each(?1)`)
    await db.batch([fill.bind(JSON.stringify(relatives))])
  }
  await db.batch(indexes.map(([, sql]) => db.prepare(String(sql))))
  if (options.hub !== undefined) {
    await db.prepare(inserts.hub).bind(options.hub).raw()
  }
}

/** Makes the tables of D1, with countries and currencies. */
async function makeTables(db: Database): Promise<void> {
  const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).sort()
  for (const file of files) {
    const text = await readFile(join(migrations, file), 'utf8')
    await db.batch(statementsOf(text).map((sql) => db.prepare(sql)))
  }
}

/** The statements of a migration: they end at the end of a line. */
export function statementsOf(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;\n/)
    .map((statement) => statement.trim().replace(/;$/, ''))
    .filter(Boolean)
}

async function rowsOf(people: readonly Person[], seal: LoadOptions['seal']) {
  const users = await Promise.all(
    people.map(async ({ id, owner, fullName, email, cardNumber, addresses, placeOfBirth }) => [
      ...[id, owner, fullName, letters(fullName), email, fold(email)],
      await seal(id, cardNumber),
      JSON.stringify(addresses),
      placeOfBirth,
    ]),
  )
  const citizenships = people.flatMap(({ id, citizenships }) => citizenships.map((to) => [id, to]))
  return { users, citizenships }
}
