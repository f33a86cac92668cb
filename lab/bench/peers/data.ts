import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { recounts } from '../../../scripts/operate/counters.ts'
import { type Person, person } from '../data/people.ts'

/** A country, its currencies by their ids. */
export interface Country {
  readonly id: string
  readonly name: string
  readonly region: string
  readonly currencies: readonly string[]
}

export interface Currency {
  readonly id: string
  readonly name: string
  readonly symbol: string
}

/** The data that all peers serve: what the migrations hold, and the people of the benchmark. */
export interface Data {
  readonly countries: readonly Country[]
  readonly currencies: readonly Currency[]
  readonly people: readonly Person[]
}

const migrations = join(import.meta.dirname, '..', '..', '..', 'migrations')

/** A database as the migrations make it, without people; in memory unless a file is named. */
export async function openDatabase(file = ':memory:'): Promise<Sqlite.Database> {
  const db = new Sqlite(file)
  for (const file of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()) {
    db.exec(await readFile(join(migrations, file), 'utf8'))
  }
  return db
}

/** Puts the people into a database. */
export function fillDatabase(db: Sqlite.Database, people: readonly Person[]): void {
  db.transaction(() => {
    const user = db.prepare(
      `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, addresses, place_of_birth)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const citizenship = db.prepare('INSERT INTO user_citizenships VALUES (?, ?)')
    const relative = db.prepare('INSERT INTO user_relatives VALUES (?, ?, ?)')
    for (const { id, owner, fullName, email, addresses, placeOfBirth } of people) {
      const home = JSON.stringify(addresses)
      user.run(id, owner, fullName, fullName.toLowerCase(), email, email, home, placeOfBirth)
    }
    for (const { id, citizenships, relatives } of people) {
      for (const country of citizenships) {
        citizenship.run(id, country)
      }
      for (const [other, is] of relatives) {
        relative.run(id, other, is)
      }
    }
    for (const sql of recounts) {
      db.exec(sql)
    }
  })()
}

/** All data as objects, in the order of ids. */
export async function readData(total: number): Promise<Data> {
  const db = await openDatabase()
  const rows = <Row>(sql: string): Row[] => db.prepare(sql).all() as Row[]
  const links = rows<{ country_id: string; currency_id: string }>(
    'SELECT * FROM country_currencies ORDER BY country_id, currency_id',
  )
  const currenciesOf = Map.groupBy(links, ({ country_id }) => country_id)
  const countries = rows<Omit<Country, 'currencies'>>('SELECT * FROM countries ORDER BY id').map(
    (country) => ({
      ...country,
      currencies: (currenciesOf.get(country.id) ?? []).map(({ currency_id }) => currency_id),
    }),
  )
  const currencies = rows<Currency>('SELECT * FROM currencies ORDER BY id')
  db.close()
  const ids = countries.map(({ id }) => id)
  const people = Array.from({ length: total }, (_, nth) => person(nth, total, ids))
  return { countries, currencies, people }
}
