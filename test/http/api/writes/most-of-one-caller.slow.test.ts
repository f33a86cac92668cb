import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { beforeAll, expect } from 'vitest'
import { rateLimitFrom } from '../../../../src/rate-limit/policy.ts'
import { lineAbout } from '../../../support/log.ts'
import { itOnD1 } from '../../../support/of-d1.ts'
import { changeUsers } from '../../../support/people.ts'
import { type BackDoor, request, wideService } from '../../../support/service.ts'
import { insert, migratedDatabase, singleValue } from '../../../unit/migrations/database.ts'
import {
  addressesOf,
  change,
  countries,
  newUser,
  relative,
  type Writer,
  writer,
} from './writers.ts'

/** The limits where nothing is configured. */
const defaultRateLimit = rateLimitFrom({})

/** US dollars for a million rows that D1 writes (developers.cloudflare.com/d1/platform/pricing, 2026-11-21). */
const millionRows = 1

/** The default configuration (README, "Configuration"). */
const quotas = { owned: 1_000, members: 1_000 }

/** What a write costs by the identifiers in its body (contract, section 10). */
const priceOf = (identifiers: number) =>
  defaultRateLimit.writeCost * Math.max(1, Math.ceil(identifiers / 20))

/** The longest values that a user takes; different letters make a different e-mail address and name. */
function longest(letter: string) {
  const domain = ['b', 'c', 'd'].map((label, nth) => label.repeat(nth < 2 ? 63 : 61)).join('.')
  return {
    fullName: '😀'.repeat(127) + letter,
    email: `${letter.repeat(28)}${crypto.randomUUID()}@${domain}`,
    creditCardNumber: Array(19).fill('4').join(' '),
    addresses: addressesOf(2_048),
  }
}

/** Ids of a hundred at a time, as many as one body takes. */
const hundreds = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / 100) }, (_, nth) =>
    items.slice(nth * 100, nth * 100 + 100),
  )

let service: BackDoor
let me: Writer
let others: string[]
let allCountries: string[]

beforeAll(async () => {
  // The computation uses the default bucket.
  service = await wideService()
  me = await writer()
  others = Array.from({ length: quotas.members }, () => crypto.randomUUID()).toSorted()
  await changeUsers(
    service,
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
      SELECT value, 'somebody', 'A', 'a', value, value FROM json_each(?1)`,
    JSON.stringify(others),
  )
  allCountries = (await service.query('SELECT id FROM countries')).map(({ id }) => String(id))
}, 60_000)

/** What a write sends: members of a relationship, or a resource. */
interface Body {
  readonly data: readonly unknown[] | { readonly relationships?: Readonly<Record<string, unknown>> }
}

/** Sends a write; the id of what it made, its price, and the rows that it wrote. */
async function write(method: string, path: string, body: Body) {
  const { origin } = service
  const answer = await request(method, `/jsonapi${path}`, { token: me.token, body, origin })
  expect(answer.status, answer.text).toBeLessThan(300)
  const { rowsWritten } = await lineAbout(answer, service.logs)
  const { data } = body
  const linkages = 'length' in data ? [{ data }] : Object.values(data.relationships ?? {})
  const identifiers = linkages.flatMap((linkage) => (linkage as { data: unknown }).data)
  return {
    id: answer.status === 201 ? String(answer.document.data.id) : '',
    price: priceOf(identifiers.length),
    rows: rowsWritten as number,
  }
}

/** Makes the largest user there can be; its id, and the tokens that it takes. */
async function largestUser() {
  const relationships = { placeOfBirth: { data: { type: 'countries', id: 'NO' } } }
  const user = newUser({ attributes: longest('x'), relationships })
  const { id, price } = await write('POST', '/users', user)
  const add = (relationship: string, all: readonly unknown[]) =>
    hundreds(all).map((data) => [`/users/${id}/relationships/${relationship}`, { data }] as const)
  let tokens = price
  for (const [path, body] of [
    ...add('citizenships', countries(...allCountries)),
    ...add(
      'relatives',
      others.map((other) => relative(other, 'DAUGHTER')),
    ),
  ]) {
    tokens += (await write('POST', path, body)).price
  }
  return { id, tokens }
}

function sizeOf(sqlite: DatabaseSync): number {
  return (
    Number(singleValue(sqlite, 'PRAGMA page_count')) *
    Number(singleValue(sqlite, 'PRAGMA page_size'))
  )
}

/** Bytes of a user alone and with its links, indexes included: those of fifty of them in a database of SQLite. */
async function bytesOf(id: string) {
  const [[user = {}] = [], citizenships = [], relatives = []] = (await service.batch([
    ['SELECT * FROM users WHERE id = ?1', id],
    ['SELECT * FROM user_citizenships WHERE user_id = ?1', id],
    ['SELECT * FROM user_relatives WHERE user_id = ?1', id],
  ])) as Record<string, SQLInputValue>[][]
  const sqlite = migratedDatabase()
  const size = () => sizeOf(sqlite)
  const named = others.map((id) => ({ ...user, id, email_key: id }))
  sqlite.exec('BEGIN')
  insert(sqlite, 'users', ...named, user)
  insert(sqlite, 'user_citizenships', ...citizenships)
  insert(sqlite, 'user_relatives', ...relatives)
  // Ids in ascending order, as those of users are. They are many, because whole pages are counted and random ids split some.
  const copies = Array.from({ length: 1_000 }, (_, nth) => {
    const changed = (name: string) => `${1_000 + nth}${String(user[name]).slice(4)}`
    const [email, email_key] = [changed('email'), changed('email_key')]
    return { ...user, id: changed('id'), email, email_key }
  })
  const empty = size()
  insert(sqlite, 'users', ...copies)
  const alone = size()
  const linked = copies.slice(0, 50)
  for (const copy of linked) {
    sqlite.exec(
      `INSERT INTO user_citizenships SELECT '${copy.id}', country_id
         FROM user_citizenships WHERE user_id = '${id}';
       INSERT INTO user_relatives SELECT '${copy.id}', relative_id, relationship_type
         FROM user_relatives WHERE user_id = '${id}'`,
    )
  }
  const row = (alone - empty) / copies.length
  return {
    links: citizenships.length + relatives.length,
    row,
    whole: row + (size() - alone) / linked.length,
  }
}

/** Bytes of one key of a create, its entry of an index included: a part of those of many. */
function bytesOfKey(): number {
  const sqlite = migratedDatabase()
  const hash = () => randomBytes(32).toString('base64url')
  const rows = Array.from({ length: 20_000 }, (_, nth) => ({
    name: hash(),
    fingerprint: hash(),
    created: crypto.randomUUID(),
    at: Date.now() + nth,
  }))
  const before = sizeOf(sqlite)
  sqlite.exec('BEGIN')
  insert(sqlite, 'idempotency_keys', ...rows)
  return (sizeOf(sqlite) - before) / rows.length
}

/** Rows that a token writes at most, of the writes that can be repeated without end. */
async function rowsPerToken(id: string): Promise<number> {
  const sons = (from: number, to: number) => ({
    data: others.slice(from, to).map((other) => relative(other, 'SON')),
  })
  const user = `/users/${id}`
  const path = `${user}/relationships/relatives`
  const everything = (letter: string, relatives: Body) =>
    write('PATCH', user, change(id, { attributes: longest(letter), relationships: { relatives } }))
  const fresh = (relatives: Body) =>
    newUser({ attributes: longest('q'), relationships: { relatives } })
  await write('PATCH', path, sons(0, 20))
  const cycles = [
    [await everything('v', sons(20, 40)), await everything('w', sons(0, 20))],
    [await write('POST', path, sons(100, 200)), await write('DELETE', path, sons(100, 200))],
    [await write('PATCH', path, sons(20, 40)), await write('PATCH', path, sons(0, 20))],
    [await write('PATCH', user, change(id, { attributes: longest('y') }))],
  ]
  const made = await write('POST', '/users', fresh(sons(0, 20)))
  cycles.push([made, await write('DELETE', `/users/${made.id}`, { data: [] })])
  const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)
  const ratios = cycles.map(
    (writes) => sum(writes.map(({ rows }) => rows)) / sum(writes.map(({ price }) => price)),
  )
  return Math.max(...ratios)
}

itOnD1('prices')(
  'the most that one caller can write in a day is what docs/scaling.md says (contract, section 15)',
  async () => {
    const { id, tokens } = await largestUser()
    const bytes = await bytesOf(id)
    const perToken = await rowsPerToken(id)
    const { capacity, rate, writeCost } = defaultRateLimit
    const tokensOfDay = capacity + rate * 86_400
    const writes = tokensOfDay / writeCost
    const rows = (tokensOfDay * perToken) / 1e6
    // Each create is followed by a delete, so that the quota has room for the next one.
    const keys = tokensOfDay / (2 * writeCost)
    const number = (value: number, digits = 0) =>
      value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
    const said = [
      `| Users held at a time | ${number(quotas.owned)} |`,
      `| Members of their relationships held at a time | ${number(quotas.owned * bytes.links)} |`,
      `| Bytes of all of them | ${number(Math.ceil((quotas.owned * bytes.whole) / 1e7) * 10)} MB |`,
      `| Hours that it takes to store them | ${number((quotas.owned * tokens) / rate / 3_600, 1)} |`,
      `| Writes in a day | ${number(writes)} |`,
      `| Rows written for a token | ${number(perToken, 1)} |`,
      `| Rows written in a day | ${number(rows)} million |`,
      `| What D1 bills for them | $${number(rows * millionRows)} |`,
      `| Keys of creates held at a time | ${number(keys)} |`,
      `| Bytes of all of them | ${number(Math.ceil((keys * bytesOfKey()) / 1e7) * 10)} MB |`,
      `| Bytes of rows written in place in a day | ${number(Math.ceil((writes * bytes.row) / 1e9))} GB |`,
    ]
    const docs = readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8')
    expect(said.filter((line) => !docs.includes(line))).toEqual([])
  },
  120_000,
)
