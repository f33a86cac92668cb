// Rows of one column, which holds a resource as JSON with all that it is related to. What is not included is shown as linkage, which
// needs the id alone.

/** A currency as the serializer takes it. */
export interface Currency {
  readonly id: string
  readonly name?: string
  readonly symbol?: string
}

/** A country; one that is included has no currencies. */
export interface Country {
  readonly id: string
  readonly name?: string
  readonly region?: string
  readonly currencies?: Currency[]
}

/** A relative. */
export interface Person {
  readonly id: string
  readonly fullName?: string
  readonly email?: string
  readonly addresses?: unknown
}

/** A user of a page, which tells how many there are in all. */
export interface User extends Person {
  readonly citizenships: Country[]
  readonly placeOfBirth: Country
  readonly relatives: Person[]
  readonly total: number
}

const countryJson = `'id', c.id, 'name', c.name, 'region', c.region`
const userJson = (u: string) =>
  `'id', ${u}.id, 'fullName', ${u}.full_name, 'email', ${u}.email, 'addresses', json(${u}.addresses)`

/** A page of countries, or those of a condition. */
export function countriesSql(include: readonly string[], where = 'ORDER BY id LIMIT 20'): string {
  const currency = include.includes('currencies')
    ? `'id', m.id, 'name', m.name, 'symbol', m.symbol`
    : `'id', l.currency_id`
  return `SELECT json_object(${countryJson}, 'currencies', (SELECT json_group_array(json_object(${currency}))
    FROM country_currencies AS l JOIN currencies AS m ON m.id = l.currency_id WHERE l.country_id = c.id))
    FROM countries AS c ${where}`
}

/** A page of users. */
export function usersSql(include: readonly string[]): string {
  const place = include.includes('placeOfBirth') ? countryJson : `'id', c.id`
  const citizenship = include.includes('citizenships') ? countryJson : `'id', c.id`
  const relative = include.includes('relatives') ? userJson('r') : `'id', r.id`
  return `SELECT json_object(${userJson('u')}, 'total', (SELECT value FROM counters WHERE name = 'users'),
    'placeOfBirth', (SELECT json_object(${place}) FROM countries AS c WHERE c.id = u.place_of_birth),
    'citizenships', (SELECT json_group_array(json_object(${citizenship}))
      FROM user_citizenships AS l JOIN countries AS c ON c.id = l.country_id WHERE l.user_id = u.id),
    'relatives', (SELECT json_group_array(json_object(${relative}))
      FROM user_relatives AS l JOIN users AS r ON r.id = l.relative_id WHERE l.user_id = u.id))
    FROM users AS u ORDER BY id LIMIT 20`
}
