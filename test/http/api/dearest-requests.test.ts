import { beforeAll, describe, expect, inject, it } from 'vitest'
import { recounts } from '../../../scripts/operate/counters.ts'
import { textOf } from '../../support/databases.ts'
import { allScopes, toBrothers } from '../../support/people.ts'
import { type Answer, get, person, request, uniquePerson } from '../../support/service.ts'
import { type Cost, type TappedService, tappedService } from '../../support/tapped.ts'
import { figuresOf } from '../../support/throttled.ts'
import { transact } from '../../support/transactions.ts'

/** The most that a token buys: rows by D1's own count, bytes of the answer. */
const most = { rowsRead: 2_000, bytes: 350_000 }
/** The most rows that a token writes, over writes that end where they began. */
const mostWritten = 20
/** The most bytes of a refusal. */
const refusalBytes = 64 * 1024

const idOf = (nth: number) => `019c0000-0000-7000-8000-${String(nth).padStart(12, '0')}`
const idOfN = "printf('019c0000-0000-7000-8000-%012d', n)"

/** The first page of users: twenty relatives each, and nobody's twice. */
const far = { from: 0, count: 20 }
/** They have twenty relatives each, all of them in the pool: an answer may include as many past the first level. */
const pooled = { from: 1_000, count: 1_000 }
/** They have all of the pool as relatives, all of the pool has them, and they are citizens of every country. */
const hubs = { from: 500, count: 4 }
const [hub, ...full] = Array.from({ length: hubs.count }, (_, nth) => idOf(hubs.from + nth))
const pool = Array.from({ length: pooled.count }, (_, nth) => idOf(pooled.from + nth))
/** What an offset skips. */
const crowd = { from: 10_000, count: 8_000 }

let service: TappedService
/** The owner of all of them. */
const owner = 'dearest'

/** Fills the database with people as large and as closely related as the rules allow. */
async function fill(): Promise<void> {
  const numbers = ({ from, count }: typeof far) =>
    `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${from + count})`
  const address = { city: 'c'.repeat(128), zip: '0'.repeat(32), doorCode: '1'.repeat(32) }
  const large = [
    owner,
    '😀'.repeat(121),
    `${'x'.repeat(52)}@${'d'.repeat(61)}.${'d'.repeat(61)}.${'d'.repeat(61)}.com`,
    JSON.stringify(Array(8).fill(address)),
  ]
  const users = (some: typeof far) =>
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, addresses, place_of_birth)
      ${numbers(some)} SELECT ${idOfN}, ?1, n || ?2, n || ?2, printf('%012d', n) || ?3, printf('%012d', n) || ?3, ?4, 'NO' FROM numbers`
  const relatives = (some: typeof far, nth: string, count: number) =>
    `INSERT OR IGNORE INTO user_relatives (user_id, relative_id, relationship_type)
      SELECT a.id, b.id, 'DAUGHTER' FROM (${numbers(some)} SELECT n, ${idOfN} AS id FROM numbers) a
      JOIN (${numbers({ from: 0, count })} SELECT n FROM numbers) k
      JOIN (${numbers(pooled)} SELECT n, ${idOfN} AS id FROM numbers) b ON b.n = ${pooled.from} + (${nth}) % ${pooled.count}`
  await service.batch([
    ...[far, hubs, pooled].map((some) => [users(some), ...large] as const),
    [users(crowd), 'crowd', 'A', '@example.com', null],
    // All of them have one name.
    ["UPDATE users SET full_name = 'A', full_name_key = 'a' WHERE owner = 'crowd'"],
    [relatives(far, `a.n * 20 + k.n`, 20)],
    [relatives(pooled, `a.n * 20 + k.n + 1`, 20)],
    [relatives(hubs, 'k.n', pooled.count)],
    [
      "INSERT INTO user_relatives SELECT relative_id, user_id, 'SON' FROM user_relatives WHERE user_id BETWEEN ?1 AND ?2",
      ...[hubs.from, hubs.from + hubs.count].map(idOf),
    ],
    [
      `INSERT INTO user_citizenships SELECT users.id, countries.id FROM users JOIN countries
        WHERE users.owner = ?1 AND (users.id BETWEEN ?2 AND ?3 OR countries.id < 'BR')`,
      owner,
      ...[hubs.from, hubs.from + hubs.count].map(idOf),
    ],
    ...recounts.map(textOf),
  ])
}

/** Whose request it is, and the Worker that it goes to. */
interface Caller {
  readonly token: string
  readonly origin: string
}

/** What one request has cost. */
interface Measured extends Cost {
  readonly tokens: number
  readonly bytes: number
}

async function measure(send: (origin: string) => Promise<Answer>) {
  await service.tap()
  const answer = await send(service.origin)
  const tokens = figuresOf(answer).cost
  return { ...(await service.tap()), answer, tokens, bytes: Buffer.byteLength(answer.text) }
}

/** The most of each measure that a token has bought. */
const bought = { rowsRead: 0, bytes: 0 }

function expectWithin({ tokens, ...measured }: Measured): void {
  for (const measure of ['rowsRead', 'bytes'] as const) {
    const perToken = measured[measure] / tokens
    bought[measure] = Math.max(bought[measure], perToken)
    expect(perToken, measure).toBeLessThanOrEqual(most[measure])
  }
}

describe.skipIf(inject('database') !== 'D1')('The dearest requests', () => {
  let ordinary: unknown
  beforeAll(async () => {
    service = await tappedService('the dearest requests', {
      RATE_LIMIT_BURST_CAPACITY: '1000',
      RATE_LIMIT_REPLENISH_RATE: '1000',
      D1_DEADLINE_MS: '30000',
    })
    const [row] = await service.query('SELECT count(*) AS count FROM users WHERE id < ?1', idOf(0))
    ordinary = row?.count
    await fill()
    await service.ready()
  })

  it.each([
    '/users?include=relatives&page[offset]={ordinary}',
    '/users?include=relatives.relatives&page[limit]=80&page[offset]={ordinary}',
    '/users?include=relatives.relatives.relatives&page[limit]=2&page[offset]={ordinary}',
    '/users?sort=-fullName,email&page[limit]=100',
    `/users?page[limit]=100&page[offset]=${crowd.count}`,
    `/users/${hub}?include=relatives.relatives.relatives,relatives.citizenships.currencies`,
    `/users/${hub}/relatives?page[limit]=100&sort=-email&include=relatives`,
    `/users/${hub}/relationships/relatives?sort=-email,fullName&include=relatives.relatives`,
    `/users/${hub}/relationships/citizenships?filter[region]=europe`,
  ])('GET %s is within the bounds', async (path) => {
    const { token } = await uniquePerson(allScopes)
    const url = path.replace('{ordinary}', String(ordinary))
    const measured = await measure((origin) => get(url, token, { origin }))
    expect(measured.answer.status).toBe(200)
    expectWithin(measured)
  })

  it.each<[path: string, rows: number]>([
    ['/users/{hub}', 45],
    ['/users/{hub}?include=citizenships,placeOfBirth,relatives', 90],
    ['/users/{hub}/relationships/relatives', 180],
    ['/users/{hub}/relatives?page[limit]=20&fields[users]=email', 60],
    ['/users/{hub}/relationships/placeOfBirth?include=placeOfBirth', 4],
    ['/users?filter[id]={hub}&sort=email&include=relatives', 90],
    // Behind the last row.
    ['/users?page[offset]=20000', 4],
    // In the middle of all.
    ...['', '&sort=fullName', '&sort=-email', '&sort=-fullName,email'].map(
      (sort): [string, number] => [`/users?include=citizenships&page[cursor]={cursor}${sort}`, 180],
    ),
  ])('GET %s reads its own rows, however many there are: %i at most', async (path, rows) => {
    const { token } = await uniquePerson(allScopes)
    const middle = path.replace('page[cursor]={cursor}', 'page[offset]=4000')
    const { document } = await get(middle.replace('{hub}', String(hub)), token, service)
    const cursor = String(document.meta?.['pagination.nextCursor'])
    const url = path.replace('{hub}', String(hub)).replace('{cursor}', cursor)
    const { answer, rowsRead } = await measure((origin) => get(url, token, { origin }))
    expect(answer.status).toBe(200)
    expect(rowsRead).toBeLessThanOrEqual(rows)
  })

  it.each([
    ['PATCH', '', { type: 'users', id: idOf(10_001), attributes: { fullName: 'New' } }, 10],
    ['POST', '/relationships/relatives', toBrothers(idOf(0)).data, 20],
    ['DELETE', '', undefined, 40],
  ])('%s %s reads its own rows, however many its owner has', async (method, below, data, rows) => {
    const token = await person('crowd', allScopes)
    const path = `/jsonapi/users/${idOf(10_001)}${below}`
    const body = data && { data }
    const { answer, rowsRead } = await measure((origin) =>
      request(method, path, { token, body, origin }),
    )
    expect(answer.status).toBe(204)
    expect(rowsRead).toBeLessThanOrEqual(rows)
  })

  const [first, second, third] = full
  const deleteOf = (id: string | undefined) => ({ op: 'remove', ref: { type: 'users', id } })
  const addition = (id: string) => ({
    op: 'add',
    ref: { type: 'users', id: third, relationship: 'relatives' },
    ...toBrothers(id),
  })
  const replacement = toBrothers(...Array.from({ length: far.count }, (_, nth) => idOf(nth)))

  const write = (method: string, path: string, body?: unknown) => (to: Caller) =>
    request(method, `/jsonapi/users/${path}`, { ...to, body })
  const all = (operations: unknown) => (to: Caller) => transact(to.token, operations, to)

  it.each([
    ['a delete', 204, write('DELETE', String(first))],
    ['a transaction that deletes', 200, all([deleteOf(second)])],
    ['a transaction that is refused at its end', 404, all([third, 'nobody'].map(deleteOf))],
    ['a transaction of twenty changes', 200, all(pool.slice(0, 20).map(addition))],
    [
      'a replacement of all relatives',
      204,
      write('PATCH', `${third}/relationships/relatives`, replacement),
    ],
  ] as const)(
    '%s, of a user with as much as one may have, is within the bounds',
    async (_, status, send) => {
      const token = await person(owner, allScopes)
      const measured = await measure((origin) => send({ token, origin }))
      expect(measured.answer.status).toBe(status)
      expectWithin(measured)
    },
  )

  it('come near the bounds, as the database is as dense as the rules allow', () => {
    expect(bought.rowsRead).toBeGreaterThan(most.rowsRead / 2)
    expect(bought.bytes).toBeGreaterThan(most.bytes / 2)
  })

  it('write few rows that are removed again: a create, changes of a hundred relatives, a delete', async () => {
    const { token } = await uniquePerson(allScopes)
    const all: Measured[] = []
    const send = async (method: string, path: string, body?: unknown) => {
      const sent = async (origin: string) =>
        request(method, `/jsonapi${path}`, { token, body, origin })
      const { answer, ...measured } = await measure(sent)
      all.push(measured)
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer
    }
    const attributes = { fullName: 'A', email: `${crypto.randomUUID()}@example.com` }
    const created = await send('POST', '/users', { data: { type: 'users', attributes } })
    const path = `/users/${created.document.data.id}`
    for (let from = 0; from < pool.length; from += 100) {
      const relatives = toBrothers(...pool.slice(from, from + 100))
      await send('POST', `${path}/relationships/relatives`, relatives)
    }
    await send('DELETE', path)
    const sum = (of: (one: Measured) => number) => all.reduce((total, one) => total + of(one), 0)
    expect(sum(({ rowsWritten }) => rowsWritten)).toBeGreaterThan(3_000)
    const perToken = sum(({ rowsWritten }) => rowsWritten) / sum(({ tokens }) => tokens)
    expect(perToken).toBeLessThanOrEqual(mostWritten)
  })

  // test/support/server.ts limits the heap of an isolate.
  it.each([
    ['/users?include=relatives&page[limit]=50&page[offset]={ordinary}', 15],
    [`/users/${hub}/relatives?page[limit]=80&include=relatives.relatives`, 84],
  ])(
    'leave an isolate below 100 MB where eight full buckets of %s come at once',
    async (path, price) => {
      const token = await person(owner, allScopes)
      const url = path.replace('{ordinary}', String(ordinary))
      const count = 8 * Math.floor(100 / price)
      const sent = Array.from({ length: count }, () => get(url, token, service))
      for (const answer of await Promise.all(sent)) {
        expect(answer.status).toBe(200)
        expect(figuresOf(answer).cost).toBe(price)
      }
    },
  )

  it('are refused in few bytes, and without D1 where no valid token pays', async () => {
    const { token } = await uniquePerson(allScopes)
    const names = Array.from({ length: 50 }, (_, nth) => `${nth}${'x'.repeat(77)}`)
    const wrong = await measure((origin) =>
      get(`/users/${hub}?${names.join('&')}`, token, { origin }),
    )
    expect(wrong).toMatchObject({ answer: { status: 400 }, roundTrips: 0 })
    expect(wrong.bytes).toBeGreaterThan(10_000)
    expect(wrong.bytes).toBeLessThanOrEqual(refusalBytes)
    for (const path of ['/users', '/oas', '/nothing']) {
      const free = await measure((origin) => get(path, 'no token', { origin }))
      expect(free.roundTrips, path).toBe(0)
    }
  })
})
