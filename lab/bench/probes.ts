import { encodeCursor, sealCursor } from '../../src/jsonapi/request/cursor.ts'
import { type SortKey, scopeOf } from '../../src/jsonapi/request/query.ts'
import type { Sealer } from '../../src/lib/key-ring.ts'
import type { Database } from './data/database.ts'
import { personId } from './data/people.ts'
import { spreadOf } from './figures.ts'
import { shotOf } from './requests.ts'

/** A request whose cost must not depend on how many people there are. */
export interface Probe {
  /** Probes of one title belong together. */
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the root path. */
  readonly path: string
  readonly status: number
  readonly data?: object | readonly object[]
}

/** What one request costs the database. */
export interface Cost {
  /** Rows that it looks at. */
  readonly read: number
  /** Rows that it writes, those of indexes included; 0 on PostgreSQL, which does not count them. */
  readonly written: number
  /** Pages of 8 KB that it looks at, those of indexes included; 0 on D1, which does not count them. */
  readonly pages: number
  /** Milliseconds that its statements take, where the database tells them. */
  readonly ms?: number
}

/** The cost of one request, and how long it takes. */
export interface Rows extends Cost {
  /** Milliseconds of the statements, else those that its caller waits: of a read the median of several, of a write those of the only one. */
  readonly ms: number
}

/** How often a read is sent. */
const repeats = 7

/** All orders of a page, in every mix of directions. */
const sorts = [
  '',
  'fullName',
  '-fullName',
  'email',
  '-email',
  'fullName,email',
  'fullName,-email',
  '-fullName,email',
  '-fullName,-email',
]

/**
 * Pages by cursor: in each order the second one, one that begins behind a person from the middle of all ids, and the last. None of
 * these places is looked for by walking there, which takes a minute among millions.
 */
export async function pageProbes(db: Database, people: number, sealer: Sealer): Promise<Probe[]> {
  const middle = `WHERE id = '${personId(Math.floor(people / 2))}'`
  const probes: Probe[] = []
  for (const sort of sorts) {
    const keys = sort === '' ? [] : sort.split(',').map(keyOf)
    const places = [
      orderBy(keys, false, 19),
      `${middle} ${orderBy(keys, false, 0)}`,
      orderBy(keys, true, 20),
    ]
    for (const place of places) {
      const position = await positionAt(db, keys, place)
      const scope = scopeOf('/jsonapi/users', keys, {})
      const page = { keys: position, limit: 20 }
      const cursor = sort === '' ? encodeCursor(scope, page) : await sealCursor(sealer, scope, page)
      const title = sort === '' ? 'Pages by id' : `Pages by \`${sort}\``
      const path = `/users?${sort && `sort=${sort}&`}page%5Bcursor%5D=${cursor}`
      probes.push({ title: `${title}: second / middle / last`, method: 'GET', path, status: 200 })
    }
  }
  return probes
}

/** One user: itself, its relationships, and writes. */
export function userProbes(nth: number): Probe[] {
  const path = `/users/${personId(nth)}`
  const linkage = `${path}/relationships`
  const get = (title: string, path: string): Probe => ({ title, method: 'GET', path, status: 200 })
  const write = (title: string, path: string, data: object): Probe => {
    const [method] = title.split(' ') as [Probe['method']]
    return { title, method, path, status: path === '/users' ? 201 : 204, data }
  }
  const relative = { type: 'users', id: personId(nth + 1), meta: { relationshipType: 'BROTHER' } }
  return [
    get('A user', path),
    get('A user with three includes', `${path}?include=citizenships,relatives,placeOfBirth`),
    get('Its citizenships', `${linkage}/citizenships`),
    get('Its place of birth', `${linkage}/placeOfBirth`),
    get('Its relatives, included', `${linkage}/relatives?include=relatives`),
    get('Its citizenships, as resources', `${path}/citizenships?include=currencies`),
    get('Its citizenships in Europe', `${linkage}/citizenships?filter[region]=Europe`),
    get('Its place of birth, as a resource', `${path}/placeOfBirth?include=currencies`),
    get('Its relatives, as resources', `${path}/relatives`),
    get(
      'Its relatives, as resources with three includes',
      `${path}/relatives?include=citizenships,relatives,placeOfBirth`,
    ),
    get('Its relatives by name', `${linkage}/relatives?sort=fullName`),
    get('Its relatives by name, as resources', `${path}/relatives?sort=fullName`),
    write('PATCH of its name', path, {
      type: 'users',
      id: personId(nth),
      attributes: { fullName: 'Somebody Else' },
    }),
    write('PATCH of its place of birth', `${linkage}/placeOfBirth`, {
      type: 'countries',
      id: 'NO',
    }),
    write('PATCH of its citizenships', `${linkage}/citizenships`, [
      { type: 'countries', id: 'NO' },
    ]),
    write('POST of a relative', `${linkage}/relatives`, [relative]),
    write('DELETE of a relative', `${linkage}/relatives`, [relative]),
    write('POST of a user', '/users', {
      type: 'users',
      attributes: { fullName: 'New', email: 'new@example.com' },
      relationships: { relatives: { data: [relative] } },
    }),
  ]
}

/** Reads of somebody who has as many relatives as a quota allows: of one page in the order of ids, and of all sorted. */
export function hubProbes(id: string): Probe[] {
  const get = (title: string, path: string): Probe => ({ title, method: 'GET', path, status: 200 })
  const path = `/users/${id}`
  return [
    get('1,000 relatives', `${path}/relationships/relatives`),
    get('1,000 relatives by name', `${path}/relationships/relatives?sort=fullName`),
    get('1,000 relatives, as resources', `${path}/relatives`),
    get('1,000 relatives by name, as resources', `${path}/relatives?sort=fullName`),
    get(
      '1,000 relatives by name, as resources with three includes',
      `${path}/relatives?sort=-email&include=citizenships,relatives,placeOfBirth`,
    ),
    get(
      '1,000 relatives, two by id',
      `${path}/relationships/relatives?filter[id]=${personId(3)},${personId(5)}`,
    ),
  ]
}

/** Makes the first thousand other people relatives of one. */
export async function relate(db: Database, id: string): Promise<void> {
  await db
    .prepare(
      "INSERT INTO user_relatives SELECT ?1, id, 'SON' FROM users WHERE id <> ?1 ORDER BY id LIMIT 1000 ON CONFLICT DO NOTHING",
    )
    .bind(id)
    .raw()
}

/** The cost of the last answer of a server that is tapped. */
export async function costIn(headers: Headers): Promise<Cost> {
  const { rowsRead, rowsWritten } = JSON.parse(headers.get('X-Bench-Cost') ?? '{}')
  return { read: rowsRead, written: rowsWritten, pages: 0 }
}

/**
 * Sends a probe.
 *
 * @param costOf tells what was done since it was asked last, from the header of an answer or otherwise
 * @throws Error when it is answered with another status
 */
export async function rowsOf(
  url: URL,
  probe: Probe,
  token: string,
  costOf: (headers: Headers) => Promise<Cost>,
): Promise<Rows> {
  const { method, path, status, data } = probe
  const bodies = data === undefined ? undefined : [JSON.stringify({ data })]
  const shot = shotOf({ method, path, status, ...(bodies && { bodies }) }, token)
  const send = async () => {
    const start = performance.now()
    const response = await fetch(new URL(shot.path, url), {
      method,
      headers: shot.headers,
      body: bodies?.[0] ?? null,
    })
    const text = await response.text()
    if (response.status !== status) {
      throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 500)}`)
    }
    const ms = performance.now() - start
    return { ms, ...(await costOf(response.headers)) }
  }
  let sent = await send()
  const times = [sent.ms]
  while (method === 'GET' && times.length < repeats) {
    sent = await send()
    times.push(sent.ms)
  }
  return { ...sent, ms: spreadOf(times).median }
}

/** Sort values and id of the row at a place: what follows the table in a statement. */
async function positionAt(
  db: Database,
  keys: readonly SortKey[],
  place: string,
): Promise<readonly string[]> {
  const [row = []] = await db
    .prepare(`SELECT ${[...keys.map(columnOf), 'id'].join(', ')} FROM users ${place}`)
    .raw()
  return row.map(String)
}

/** The end of a statement that gives one row: at an offset from the beginning of an order, or from its end. */
function orderBy(keys: readonly SortKey[], fromEnd: boolean, offset: number): string {
  const ordered = [...keys.map((key) => [columnOf(key), key.descending] as const), ['id', false]]
  const terms = ordered.map(([name, descending]) =>
    descending === fromEnd ? name : `${name} DESC`,
  )
  return `ORDER BY ${terms.join(', ')} LIMIT 1 OFFSET ${offset}`
}

function columnOf({ field }: SortKey): string {
  return field === 'email' ? 'email_key' : 'full_name_key'
}

function keyOf(name: string): SortKey {
  return { field: name.replace('-', ''), descending: name.startsWith('-') }
}
