import type Sqlite from 'better-sqlite3'

/** Resources as the serializer takes them; what is linked and not included has no more than its id. */
export interface Currency {
  readonly id: string
  readonly name?: string
  readonly symbol?: string
}

export interface Country {
  readonly id: string
  readonly name?: string
  readonly region?: string
  readonly currencies: Currency[]
}

export interface User {
  readonly id: string
  readonly fullName?: string
  readonly email?: string
  readonly addresses?: unknown
  readonly citizenships: Country[]
  readonly placeOfBirth: Country | undefined
  readonly relatives: User[]
}

interface Link {
  readonly id: string
  readonly target: string
}

interface UserRow {
  readonly id: string
  readonly fullName: string
  readonly email: string
  readonly addresses: string
  readonly placeOfBirth: string
}

const among = '(SELECT value FROM json_each(?))'
const userColumns =
  'id, full_name AS fullName, email, addresses, place_of_birth AS placeOfBirth FROM users'

/** The statements of a database, prepared, as functions that read what a request needs. */
export function statementsOf(db: Sqlite.Database) {
  let statements = 0
  const all = <Row>(sql: string) => {
    const statement = db.prepare(sql)
    return (...values: unknown[]): Row[] => {
      statements++
      return statement.all(...values) as Row[]
    }
  }
  const links = (table: string, owner: string, target: string) => {
    const read = all<Link>(
      `SELECT ${owner} AS id, ${target} AS target FROM ${table} WHERE ${owner} IN ${among} ORDER BY 1, 2`,
    )
    return (ids: readonly string[]) => Map.groupBy(read(JSON.stringify(ids)), ({ id }) => id)
  }
  const currenciesOf = links('country_currencies', 'country_id', 'currency_id')
  const citizenshipsOf = links('user_citizenships', 'user_id', 'country_id')
  const relativesOf = links('user_relatives', 'user_id', 'relative_id')
  const currencies = all<Currency>(`SELECT * FROM currencies WHERE id IN ${among}`)
  const countryPage = all<Country>('SELECT * FROM countries ORDER BY id LIMIT 20')
  const countriesById = all<Country>(`SELECT * FROM countries WHERE id IN ${among}`)
  const userPage = all<UserRow>(`SELECT ${userColumns} ORDER BY id LIMIT 20 OFFSET ?`)
  const usersById = all<UserRow>(`SELECT ${userColumns} WHERE id IN ${among}`)
  const total = all<{ value: number }>("SELECT value FROM counters WHERE name = 'users'")

  const withCurrencies = (countries: readonly Country[], include: readonly string[]): Country[] => {
    const linked = currenciesOf(countries.map(({ id }) => id))
    const ids = [...linked.values()].flat().map(({ target }) => target)
    const found = include.includes('currencies') ? byId(currencies(JSON.stringify(ids))) : undefined
    return countries.map((country) => ({
      ...country,
      currencies: (linked.get(country.id) ?? []).map(
        ({ target }) => found?.get(target) ?? { id: target },
      ),
    }))
  }
  const withLinks = (users: readonly UserRow[], include: readonly string[]): User[] => {
    const ids = users.map(({ id }) => id)
    const [citizenships, relatives] = [citizenshipsOf(ids), relativesOf(ids)]
    const idsIn = (map: Map<string, Link[]>): string[] =>
      [...map.values()].flat().map(({ target }) => target)
    const countryIds = [
      ...(include.includes('citizenships') ? idsIn(citizenships) : []),
      ...(include.includes('placeOfBirth') ? users.map(({ placeOfBirth }) => placeOfBirth) : []),
    ]
    const countries = countryIds.length > 0 ? countriesById(JSON.stringify(countryIds)) : []
    const foundCountries = byId(withCurrencies(countries, []))
    const others = include.includes('relatives') ? usersById(JSON.stringify(idsIn(relatives))) : []
    const country = (id: string): Country => foundCountries.get(id) ?? { id, currencies: [] }
    // What is included carries no linkage that no path follows.
    const foundUsers = byId(
      others.map(
        ({ addresses, placeOfBirth, ...row }): User => ({
          ...row,
          addresses: JSON.parse(addresses),
          citizenships: [],
          placeOfBirth: country(placeOfBirth),
          relatives: [],
        }),
      ),
    )
    const user = (id: string): User =>
      foundUsers.get(id) ?? { id, citizenships: [], placeOfBirth: undefined, relatives: [] }
    return users.map(({ addresses, placeOfBirth, ...row }) => ({
      ...row,
      addresses: JSON.parse(addresses),
      citizenships: (citizenships.get(row.id) ?? []).map(({ target }) => country(target)),
      placeOfBirth: country(placeOfBirth),
      relatives: (relatives.get(row.id) ?? []).map(({ target }) => user(target)),
    }))
  }

  return {
    total: () => total()[0]?.value ?? 0,
    /** How many statements have been executed so far. */
    statements: () => statements,
    users: (offset: number, include: readonly string[]) => withLinks(userPage(offset), include),
    countries: (include: readonly string[]) => withCurrencies(countryPage(), include),
    country: (id: string, include: readonly string[]) =>
      withCurrencies(countriesById(JSON.stringify([id])), include),
  }
}

function byId<Resource extends { readonly id: string }>(
  resources: readonly Resource[],
): Map<string, Resource> {
  return new Map(resources.map((resource) => [resource.id, resource]))
}
