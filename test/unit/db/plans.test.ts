import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { recounts } from '../../../scripts/operate/counters.ts'
import { createApp } from '../../../src/app.ts'
import { about, registry } from '../../../src/resources/index.ts'
import { textOf } from '../../support/databases.ts'
import { appOptions, personsWith, sendTo } from '../http/app-options.ts'
import { migrations } from '../migrations/database.ts'
import { type Sent, startD1 } from './real-d1.ts'
import { cipher, openedStore } from './store-options.ts'

vi.spyOn(console, 'log').mockReturnValue()

let rowsRead = 0
const d1 = startD1('DB')
const { send, database } = d1.open('DB', (count) => {
  rowsRead += count
})
afterAll(d1.close)

await send(...migrations.map(({ sql }): Sent => [sql]))

/** A person to whom half of all people are related. */
const hub = '/users/id0150'
// Many people have one name.
const people = Array.from({ length: 400 }, (_, index) => {
  const text = (name: string) => `'${name}${String(index).padStart(4, '0')}'`
  const name = `'n${index % 3}'`
  return `(${text('id')}, 'ann', ${name}, ${name}, ${text('e')}, ${text('e')}, 'NO')`
})
await send(
  [
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, place_of_birth) VALUES ${people}`,
  ],
  [
    "INSERT INTO user_relatives SELECT a.id, b.id, 'SON' FROM users a JOIN users b ON a.id <> b.id AND b.id < 'id0003'",
  ],
  [
    "INSERT OR IGNORE INTO user_relatives SELECT 'id0150', id, 'SON' FROM users WHERE id < 'id0200' AND id <> 'id0150'",
  ],
  ["INSERT INTO user_citizenships SELECT id, 'NO' FROM users"],
  ...recounts.map(textOf),
)

const app = createApp({
  ...appOptions,
  registry,
  store: openedStore(database, { registry, cipher }),
  verify: personsWith(Object.keys(about.scopes)),
})

/** Reads; the document of the answer, and the rows that it took. */
async function measure(path: string) {
  rowsRead = 0
  const { status, document } = await sendTo(app, 'GET', path)
  expect(status, JSON.stringify(document)).toBe(200)
  return { document, rowsRead }
}

// Reference data are in memory from here on.
await measure('/countries')

/** The rows that each page reads, from the first one to the last. */
async function rowsOfPages(path: string): Promise<number[]> {
  const pages: number[] = []
  for (let cursor = ''; cursor !== undefined; ) {
    const at = cursor && `${path.includes('?') ? '&' : '?'}page[cursor]=${cursor}`
    const { document, rowsRead } = await measure(path + at)
    pages.push(rowsRead)
    cursor = document.meta?.['pagination.nextCursor']
  }
  return pages
}

const relative = { type: 'users', id: 'id0001', meta: { relationshipType: 'SON' } }

// Without statistics SQLite has to guess which index is the best.
it.each([
  ['PATCH', '', { type: 'users', id: 'id0399', attributes: { fullName: 'New' } }, 10],
  ['POST', '/relationships/relatives', [relative], 20],
  ['DELETE', '', undefined, 40],
])('%s%s reads its own rows, however many its owner has', async (method, path, data, most) => {
  rowsRead = 0
  const sent = await sendTo(app, method, `/users/id0399${path}`, { body: data && { data } })
  expect(sent.status).toBe(204)
  expect(rowsRead).toBeLessThanOrEqual(most)
})

describe('a page reads its own rows, however many there are', () => {
  beforeAll(() => send(['ANALYZE']))
  const page = '/users?page[limit]=20&include=citizenships,placeOfBirth'
  const [members, related] = [`${hub}/relationships/relatives`, `${hub}/relatives?page[limit]=20`]

  it.each([
    // Each resource reads some four members of relationships, and the hub some twenty.
    ...['', '&sort=fullName', '&sort=-email', '&sort=-fullName,email'].map(
      (sort) => [page + sort, 20, 21 * 7 + 30] as const,
    ),
    // In the order of ids; in any other one, of each member what it is sorted by, too.
    ...[members, related].map((path) => [path, 10, 21 * 8 + 10] as const),
    ...[`${members}?include=relatives&`, `${related}&`].map(
      (path) => [`${path}sort=-fullName`, 10, 199 * 3 + 21 * 9] as const,
    ),
  ])('wherever it begins: %s', async (path, count, most) => {
    const pages = await rowsOfPages(path)
    expect(pages).toHaveLength(count)
    expect(Math.max(...pages)).toBeLessThanOrEqual(most)
  })

  it('behind the last row', async () => {
    expect((await measure('/users?page[offset]=10000')).rowsRead).toBeLessThan(5)
  })

  it.each([
    ['/users/id0004', 7],
    ['/users/id0004?include=citizenships,placeOfBirth,relatives', 10],
    ['/users/id0004/relationships/placeOfBirth?include=placeOfBirth', 4],
    ['/users?filter[id]=id0001,id0002&sort=email&include=relatives', 40],
    [`${hub}/relatives?filter[id]=id0001,id0002&sort=email`, 27],
    [`${hub}/citizenships?filter[region]=Europe&include=currencies`, 6],
  ])('%s', async (path, most) => {
    expect((await measure(path)).rowsRead).toBeLessThanOrEqual(most)
  })
})
