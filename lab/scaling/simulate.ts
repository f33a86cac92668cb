import assert from 'node:assert/strict'
import { createApp } from '../../src/app.ts'
import { createCipher } from '../../src/db/cipher.ts'
import { d1Store } from '../../src/db/store.ts'
import type { Session, SessionStore } from '../../src/jsonapi/run/store.ts'
import { registry } from '../../src/resources/index.ts'
import { appOptions } from '../../test/unit/http/app-options.ts'
import { openDatabases, sizeOf } from './databases.ts'
import { idAt, makePeople } from './people.ts'
import type { Placement } from './placement.ts'
import { pricesPerMillion } from './prices.ts'
import { type SharedUsage, shardedStore } from './sharded-store.ts'

const count = 2_000

/** One database until it was full, at a tenth of the time; then nine more that share what came after. */
const placement: Placement = [
  { from: '', databases: [0] },
  { from: idAt(0.1, 0), databases: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
]

/** The whole application on a store, and what its last request has cost. */
interface Service {
  get(path: string): Promise<{ text: string; usage: Partial<SharedUsage>; ms: number }>
}

console.log = () => {}
const print = (line: string) => process.stdout.write(`${line}\n`)

const people = makePeople(count)
const { all, shards, close } = await openDatabases(people, placement)
const one = serviceOn(storeOn(all))
const ten = serviceOn(shardedStore(shards.map(storeOn), placement))

const empty = await openDatabases([], placement)
const emptySize = await sizeOf(empty.all)
await empty.close()
print(
  `${Math.round(((await sizeOf(all)) - emptySize) / count)} bytes a user, indexes and links included.`,
)
await compareWalks()
await compareOthers()
await measure()
await close()

/** Every sort, page by page from the first to the last, by cursor and by offset: the same bytes from both. */
async function compareWalks(): Promise<void> {
  const sorts = [
    '',
    'fullName',
    '-fullName',
    'email',
    '-email',
    'fullName,-email',
    '-fullName,email',
  ]
  let pages = 0
  for (const sort of sorts) {
    const start = `/jsonapi/users?page[limit]=100${sort && `&sort=${sort}`}`
    for (const follow of [byCursor, byOffset]) {
      const seen = new Set<string>()
      let path: string | undefined = start
      while (path !== undefined) {
        const text = await same(path)
        const document = JSON.parse(text)
        for (const { id } of document.data) {
          assert(!seen.has(id), `${id} comes twice`)
          seen.add(id)
        }
        path = follow(document, start)
        pages++
      }
      assert.equal(seen.size, count)
    }
  }
  print(`${sorts.length} sorts by cursor and by offset: ${pages} pages, the same bytes from both.`)
}

type PageDocument = {
  readonly links: { readonly next: string | null }
  readonly meta?: { readonly 'pagination.nextCursor'?: string }
}

function byCursor({ meta }: PageDocument, start: string): string | undefined {
  const cursor = meta?.['pagination.nextCursor']
  return cursor && `${start}&page[cursor]=${cursor}`
}

function byOffset({ links }: PageDocument): string | undefined {
  return links.next ?? undefined
}

async function compareOthers(): Promise<void> {
  const ids = people.filter((_, index) => index % 120 === 0).map(({ id }) => id)
  const paths = [
    '/users?include=relatives,citizenships,placeOfBirth',
    '/users?include=relatives.relatives.citizenships&sort=-email',
    '/users?sort=fullName&fields[users]=email',
    `/users?filter[id]=${ids.join(',')}`,
    `/users?filter[id]=${ids.join(',')}&sort=-fullName`,
    `/users?page[offset]=${count}`,
    ...ids.flatMap((id) => [
      `/users/${id}?include=relatives`,
      `/users/${id}/relationships/relatives?include=relatives`,
    ]),
    '/users/00000000-0000-7000-8000-000000000000',
    '/countries?include=currencies',
  ]
  for (const path of paths) {
    await same(`/jsonapi${path}`)
  }
  print(`${paths.length} other requests: the same bytes from both.`)
}

/** What a request costs on either side. */
async function measure(): Promise<void> {
  const { text } = await one.get('/jsonapi/users?page[limit]=100&page[offset]=500')
  const deep = JSON.parse(text).meta['pagination.nextCursor']
  const sorted = await one.get('/jsonapi/users?page[limit]=100&page[offset]=500&sort=fullName')
  const deepSorted = JSON.parse(sorted.text).meta['pagination.nextCursor']
  const requests = {
    'A user': `/users/${people.at(-1)?.id}`,
    'A user with relatives': `/users/${people.at(-1)?.id}?include=relatives`,
    'First page, with the total': '/users',
    'First page by name, with the total': '/users?sort=fullName',
    'Page 31, by cursor': `/users?page[limit]=20&page[cursor]=${deep}`,
    'Page 31 by name, by cursor': `/users?page[limit]=20&sort=fullName&page[cursor]=${deepSorted}`,
    'Page 51 by name, by offset': '/users?sort=fullName&page[offset]=1000',
    'First page with relatives': '/users?include=relatives',
  }
  print('\n| Request | Calls of D1 | Waits | Rows read | $ of rows per million | Time |')
  print('|---|---|---|---|---|---|')
  for (const [name, path] of Object.entries(requests)) {
    const single = await fastest(one, path)
    const shared = await fastest(ten, path)
    const row = [
      `${single.usage.roundTrips} → ${shared.usage.roundTrips}`,
      `${single.usage.roundTrips} → ${shared.usage.waves}`,
      `${single.usage.rowsRead} → ${shared.usage.rowsRead}`,
      `${money(single.usage.rowsRead)} → ${money(shared.usage.rowsRead)}`,
      `× ${(shared.ms / single.ms).toFixed(1)}`,
    ]
    print(`| ${name} | ${row.join(' | ')} |`)
  }
}

function money(rows = 0): string {
  return (rows * pricesPerMillion.rowsRead).toFixed(2)
}

/** The fastest of some tries: this machine has other work too. */
async function fastest(service: Service, path: string) {
  const tries = []
  for (let attempt = 0; attempt < 10; attempt++) {
    tries.push(await service.get(`/jsonapi${path}`))
  }
  return tries.reduce((best, other) => (other.ms < best.ms ? other : best))
}

async function same(path: string): Promise<string> {
  const [expected, actual] = await Promise.all([one.get(path), ten.get(path)])
  assert(actual.text === expected.text, `${path} is answered differently`)
  return actual.text
}

function storeOn(database: D1Database): SessionStore {
  return d1Store({
    registry,
    db: {
      prepare: (sql) => database.prepare(sql),
      batch: (statements) => database.batch(statements),
    },
    cipher: createCipher({ current: 'none', keys: new Map([['none', new Uint8Array(32)]]) }),
    waitUntil: () => {},
    quotas: { owned: 1_000, members: 1_000 },
    metered: true,
    deadlineMs: 60_000,
  })
}

function serviceOn(store: SessionStore): Service {
  let session: Session | undefined
  const scopes = new Set(['users.read', 'users.sensitive.read', 'users.citizenships.read'])
  const app = createApp({
    ...appOptions,
    root: '/jsonapi',
    registry,
    store: {
      ...store,
      begin: async (options) => {
        session = await store.begin(options)
        return session
      },
    },
    verify: () => ({ kind: 'user', issuer: 'simulation', id: 'reader', scopes }),
  })
  return {
    async get(path) {
      const start = performance.now()
      const headers = { Authorization: 'Bearer a.b.c' }
      const response = await app.request(`http://simulation${path}`, { headers })
      const text = (await response.text()).replaceAll(
        /"id":"[0-9a-f-]{36}\.\d+","status"/g,
        '"status"',
      )
      return { text, usage: session?.usage ?? {}, ms: performance.now() - start }
    },
  }
}
