import type { Reference } from './countries.ts'
import { cursorAfter } from './cursor.ts'

/** A user as a row: slot, id, owned, name, e-mail, addresses, card, place of birth, citizenships, relatives, total; of one alone its revision in the place of the total. */
export type UserRow = readonly [
  slot: number,
  id: string,
  owned: number,
  fullName: string,
  email: string,
  addresses: string | null,
  card: string | null,
  placeOfBirth: string | null,
  citizenships: string | null,
  relatives: string | null,
  more?: number | string | null,
]

/** What a row is. */
const slots = { page: 0, relative: 1 } as const

/** The one value of `include` that is taken. */
export const include = 'include=citizenships,relatives,placeOfBirth'

/** Members of a relationship that a resource object shows. */
const most = 20

const own = `u.id, u.owner = ?1, u.full_name, u.email, u.addresses,
  CASE WHEN u.owner = ?1 THEN u.card END, u.place_of_birth`

const columns = `${own},
  (SELECT group_concat(country_id) FROM (SELECT country_id FROM user_citizenships
    WHERE user_id = u.id ORDER BY country_id LIMIT ${most + 1})),
  (SELECT group_concat(m) FROM (SELECT relative_id || ':' || relationship_type AS m
    FROM user_relatives WHERE user_id = u.id ORDER BY relative_id LIMIT ${most + 1}))`

/** One user with its revision; parameters: who asks, id. */
export const userSql = `SELECT 0, ${columns}, u.revision FROM users AS u WHERE u.id = ?2`

const total = `(SELECT value FROM counters WHERE name = 'users')`

/** Users of a page. A limit is spelt out: with a bound one, SQLite prepares the statement at each run. */
const pageSize = 20

/** A page of users and one more, each with their number; parameter: who asks. */
export const pageSql = `SELECT 0, ${columns}, ${total} FROM users AS u ORDER BY u.id LIMIT ${pageSize + 1}`

/** The same with all relatives that are not on the page. */
export const pageWithRelativesSql = `
  WITH page AS MATERIALIZED (SELECT ${columns}, ${total} FROM users AS u ORDER BY u.id LIMIT ${pageSize + 1}),
  shown AS (SELECT id FROM page LIMIT ${pageSize})
  SELECT 0, page.* FROM page UNION ALL
  SELECT 1, ${own}, NULL, NULL, NULL FROM (SELECT DISTINCT l.relative_id AS id FROM shown AS p CROSS JOIN user_relatives AS l
    ON l.user_id = p.id AND l.relative_id <= coalesce((SELECT relative_id FROM user_relatives
      WHERE user_id = p.id ORDER BY relative_id LIMIT 1 OFFSET ${most - 1}), char(127))) AS w
  CROSS JOIN users AS u ON u.id = w.id WHERE u.id NOT IN (SELECT id FROM page)`

/** A document, and whether it shows a card number. */
export interface Document {
  readonly json: string
  readonly sensitive: boolean
  /** Of the user, where the document is of one. */
  readonly revision?: string
}

/** `GET /users`, with or without the three includes. */
export function usersPage(
  rows: readonly UserRow[],
  search: string,
  card: string | undefined,
  reference: Reference | undefined,
): Document {
  const page: UserRow[] = []
  const relatives = new Map<string, UserRow>()
  for (const row of rows) {
    if (row[0] === slots.page) {
      page.push(row)
    } else {
      relatives.set(row[1], row)
    }
  }
  const count = Number(page[0]?.[10])
  const more = page.length > pageSize
  if (more) {
    page.length = pageSize
  }
  const last = Math.floor((count - 1) / pageSize) * pageSize
  const kept = search.includes('include=') ? `${include}&` : ''
  const base = `/jsonapi/users?${kept}page%5Blimit%5D=${pageSize}`
  const cursor = more
    ? cursorAfter('["/jsonapi/users",[],[]]', pageSize, page.at(-1)?.[1] ?? '')
    : undefined
  const nested = cursor === undefined ? '' : `,"nextCursor":"${cursor}"`
  const flat = cursor === undefined ? '' : `,"pagination.nextCursor":"${cursor}"`
  const next = pageSize < count ? `"${base}&page%5Boffset%5D=${pageSize}"` : 'null'
  let json = `{"jsonapi":{"version":"1.1"},"links":{"self":"/jsonapi/users${search}","first":"${base}","prev":null,"next":${next},"last":"${last > 0 ? `${base}&page%5Boffset%5D=${last}` : base}"},"meta":{"pagination":{"totalItems":${count}${nested}},"pagination.totalItems":${count}${flat}},"data":[`
  let separator = ''
  for (const row of page) {
    json += separator + userObject(row, card)
    separator = ','
  }
  json += ']'
  if (reference) {
    json += `,"included":[${included(page, relatives, reference)}]`
  }
  return { json: `${json}}`, sensitive: page.some((row) => row[6] !== null) }
}

/** `GET /users/{id}`. */
export function userDocument(row: UserRow, search: string, card: string | undefined): Document {
  const json = `{"jsonapi":{"version":"1.1"},"links":{"self":"/jsonapi/users/${row[1]}${search}"},"data":${userObject(row, card)}}`
  return { json, sensitive: row[6] !== null, revision: String(row[10]) }
}

function userObject(row: UserRow, card: string | undefined): string {
  const [, id, , fullName, email, addresses, sealed, placeOfBirth, citizenships, relatives] = row
  const path = `/jsonapi/users/${id}`
  const self = `${path}/relationships/`
  let json = `{"type":"users","id":"${id}","attributes":{"fullName":${JSON.stringify(fullName)},"email":${JSON.stringify(email)}`
  if (addresses !== null) {
    json += `,"addresses":${addresses}`
  }
  if (sealed !== null) {
    json += `,"creditCardNumber":${JSON.stringify(card)}`
  }
  const isIncluded = row[0] === slots.relative
  json += `},"relationships":{"citizenships":{"links":{"self":"${self}citizenships","related":"${path}/citizenships"`
  json += isIncluded ? '}' : linkage(citizenships, `${self}citizenships`, country)
  json += `},"placeOfBirth":{"links":{"self":"${self}placeOfBirth","related":"${path}/placeOfBirth"},"data":${placeOfBirth === null ? 'null' : country(placeOfBirth)}},"relatives":{"links":{"self":"${self}relatives","related":"${path}/relatives"`
  json += isIncluded ? '}' : linkage(relatives, `${self}relatives`, relative)
  return `${json}}},"links":{"self":"${path}"}}`
}

/** The end of a relationship's links, and its data. */
function linkage(text: string | null, path: string, show: (member: string) => string): string {
  if (text === null) {
    return '},"data":[]'
  }
  const members = text.split(',')
  let next = ''
  if (members.length > most) {
    members.length = most
    const [lastId = ''] = (members[most - 1] ?? '').split(':')
    next = `,"next":"${path}?page%5Bcursor%5D=${cursorAfter(`["${path}",[],[]]`, 20, lastId)}"`
  }
  let data = ''
  for (const member of members) {
    data += data === '' ? show(member) : `,${show(member)}`
  }
  return `${next}},"data":[${data}]`
}

function country(id: string): string {
  return `{"type":"countries","id":"${id}"}`
}

function relative(member: string): string {
  const colon = member.indexOf(':')
  return `{"type":"users","id":"${member.slice(0, colon)}","meta":{"relationshipType":"${member.slice(colon + 1)}"}}`
}

/** What the page relates to, each once: citizenships, then relatives, then places of birth. */
function included(
  page: readonly UserRow[],
  relatives: ReadonlyMap<string, UserRow>,
  { countries }: Reference,
): string {
  const objects = new Map<string, string | undefined>()
  const add = (id: string, object: (id: string) => string | undefined): void => {
    if (!objects.has(id)) {
      objects.set(id, object(id))
    }
  }
  const ofCountry = (id: string) => countries.get(id)?.included
  const ofRelative = (id: string) => {
    const found = relatives.get(id)
    return found && userObject(found, undefined)
  }
  for (const row of page) {
    for (const id of row[8]?.split(',', most) ?? []) {
      add(id, ofCountry)
    }
  }
  for (const row of page) {
    for (const member of row[9]?.split(',', most) ?? []) {
      add(member.slice(0, member.indexOf(':')), ofRelative)
    }
  }
  for (const row of page) {
    add(row[7] ?? '', ofCountry)
  }
  return [...objects.values()].filter((object) => object !== undefined).join(',')
}
