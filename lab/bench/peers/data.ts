import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { loadDatabase } from '../data/database.ts'
import { type Person, person } from '../data/people.ts'
import { databaseOn } from '../data/sqlite.ts'

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

/** Makes a database in a folder, as the migrations make it, and fills in people. Returns its file. */
export async function createDatabase(folder: string, people: number): Promise<string> {
  const file = join(folder, 'peer.sqlite')
  const sqlite = new DatabaseSync(file)
  await loadDatabase(databaseOn(sqlite), { people, seal: async () => null })
  sqlite.close()
  return file
}

/** All data as objects, in the order of ids. */
export async function readData(total: number): Promise<Data> {
  const sqlite = new DatabaseSync(':memory:')
  await loadDatabase(databaseOn(sqlite), { people: 0, seal: async () => null })
  const rows = <Row>(sql: string): Row[] => sqlite.prepare(sql).all() as unknown as Row[]
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
  sqlite.close()
  const ids = countries.map(({ id }) => id)
  const people = Array.from({ length: total }, (_, nth) => person(nth, total, ids))
  return { countries, currencies, people }
}
