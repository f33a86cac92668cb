import type { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { createCipher } from '../../../src/db/cipher.ts'
import { d1Store } from '../../../src/db/store.ts'
import { defaultRateLimit } from '../../../src/rate-limit/policy.ts'
import { registry } from '../../../src/resources/index.ts'
import { migratedDatabase, rowsOf } from '../migrations/database.ts'
import { oneBucket, openLimiter } from '../rate-limit/open.ts'
import { sqliteD1 } from './sqlite-d1.ts'
import { storeOptions } from './store-options.ts'

const scopes = 'users.read users.sensitive.read users.citizenships.read users.write'.split(' ')
const sent: string[] = []
let sqlite: DatabaseSync
let app: ReturnType<typeof createApp>

beforeAll(async () => {
  vi.spyOn(console, 'log').mockReturnValue()
  sqlite = migratedDatabase()
  const people = Array.from({ length: 200 }, (_, index) => {
    const text = (name: string) => `'${name}${String(index).padStart(4, '0')}'`
    return `(${text('id')}, 'ann', ${text('N')}, ${text('n')}, ${text('e')}, ${text('e')}, 'NO')`
  })
  sqlite.exec(
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, place_of_birth) VALUES ${people};
     INSERT INTO user_relatives SELECT a.id, b.id, 'SON' FROM users a JOIN users b ON a.id <> b.id AND b.id < 'id0003';
     INSERT INTO user_citizenships SELECT id, 'NO' FROM users; ANALYZE`,
  )
  app = createApp({
    registry,
    root: '',
    mostOffset: 100_000,
    corsOrigins: new Set(),
    store: d1Store({
      ...storeOptions,
      registry,
      db: sqliteD1(sqlite, (texts, run) => {
        sent.push(...texts)
        run()
      }),
      cipher: createCipher(JSON.stringify({ current: 'k', keys: { k: 'A'.repeat(43) } })),
    }),
    resource: {},
    verify: () => ({ kind: 'user', issuer: 'i', id: 'ann', scopes: new Set(scopes) }),
    limit: defaultRateLimit,
    limiter: openLimiter,
    bucketName: oneBucket,
  })
  // Reference data are in memory from here on.
  await app.request('/countries', { headers: { Authorization: 'Bearer x' } })
})

/** Sends a request; the answer's document, and the statements that it took. */
async function statementsOf(method: string, path: string, body?: object) {
  sent.length = 0
  const type = { 'Content-Type': 'application/vnd.api+json' }
  const text = body && JSON.stringify(body)
  const response = await app.request(path, {
    method,
    headers: { Authorization: 'Bearer x', ...type, 'Content-Length': String(text?.length ?? 0) },
    ...(text && { body: text }),
  })
  const answer = await response.text()
  expect(response.status, answer).toBeLessThan(300)
  return { document: answer === '' ? {} : JSON.parse(answer), statements: [...sent] }
}

/** What SQLite does for a statement, one step a line. */
function planOf(statement: string): readonly string[] {
  return rowsOf(sqlite, `EXPLAIN QUERY PLAN ${statement}`).map(({ detail }) => String(detail))
}

/** Steps that go through a whole table; going through an earlier result, or a list in JSON, is no such step. */
function scansIn(plan: readonly string[]): readonly string[] {
  const results = plan.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (.*)$/.exec(line)?.[1] ?? [])
  return plan.filter((line) => {
    const [, name = ''] = /^SCAN (.*)$/.exec(line) ?? []
    const isResult = results.includes(name)
    // One alias may name a result here and a table there.
    if (isResult && name !== 'page' && name !== 'links') {
      results.splice(results.indexOf(name), 1)
    }
    return name !== '' && !isResult && !/^CONSTANT ROW|VIRTUAL TABLE/.test(name)
  })
}

const pages = ['', 'fullName', '-fullName', 'email', '-email', 'fullName,email', '-fullName,-email']
const byKey = [
  '/users/id0004',
  '/users/id0004?include=citizenships,placeOfBirth,relatives',
  '/users/id0004?include=relatives.relatives.relatives,relatives.placeOfBirth',
  '/users/id0004/relationships/citizenships?include=citizenships.currencies',
  '/users/id0004/relationships/placeOfBirth?include=placeOfBirth',
  '/users/id0004/relationships/relatives?include=relatives.relatives',
]

describe('each statement that a read runs finds its rows through an index', () => {
  it.each(pages)(
    'the first page sorted by "%s" goes along an index, and sorts nothing',
    async (sort) => {
      const include = 'include=citizenships,placeOfBirth,relatives'
      for (const path of [`/users?page[limit]=5`, `/users?page[limit]=5&${include}`]) {
        const { statements } = await statementsOf('GET', path + (sort && `&sort=${sort}`))
        expect(statements).toHaveLength(1)
        const plan = planOf(statements.join())
        expect(scansIn(plan)).toEqual([expect.stringMatching(/^SCAN p USING INDEX \w+$/)])
        expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY')
      }
    },
  )

  it.each(pages)('a further page sorted by "%s" is found in an index by key', async (sort) => {
    const path = `/users?page[limit]=5${sort && `&sort=${sort}`}`
    const { document } = await statementsOf('GET', path)
    const cursor = document.meta['pagination.nextCursor']
    const { statements } = await statementsOf('GET', `${path}&page[cursor]=${cursor}`)
    expect(statements).toHaveLength(1)
    const plan = planOf(statements.join())
    expect(scansIn(plan)).toEqual([])
    expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY')
  })

  it.each([
    ...byKey,
    '/users?filter[id]=id0001,id0002',
    '/users?filter[id]=id0001,id0002&sort=email&include=relatives',
  ])('%s goes through no table', async (path) => {
    const { statements } = await statementsOf('GET', path)
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.flatMap((statement) => scansIn(planOf(statement)))).toEqual([])
  })

  it('of a later page of a to-many relationship goes through no table', async () => {
    const path = '/users/id0150/relationships/relatives'
    sqlite.exec(
      "INSERT OR IGNORE INTO user_relatives SELECT 'id0150', id, 'SON' FROM users WHERE id < 'id0040'",
    )
    const { document } = await statementsOf('GET', path)
    const cursor = document.meta['pagination.nextCursor']
    const { statements } = await statementsOf('GET', `${path}?page[cursor]=${cursor}`)
    expect(statements.flatMap((statement) => scansIn(planOf(statement)))).toEqual([])
  })

  it('finds a scan where there is one', () => {
    expect(scansIn(planOf('SELECT * FROM users AS p WHERE full_name = ?'))).toEqual(['SCAN p'])
    expect(scansIn(planOf('SELECT * FROM user_citizenships'))).toEqual(['SCAN user_citizenships'])
  })
})

describe('the plan of each statement that a write runs', () => {
  const countries = { data: [{ type: 'countries', id: 'NO' }] }
  const relatives = {
    data: [{ type: 'users', id: 'id0001', meta: { relationshipType: 'SON' } }],
  }
  const attributes = { fullName: 'Ola', email: 'ola@example.com' }
  const relationships = {
    citizenships: countries,
    relatives,
    placeOfBirth: { data: { type: 'countries', id: 'NO' } },
  }

  it.each([
    {
      method: 'POST',
      path: '/users',
      body: { data: { type: 'users', attributes, relationships } },
    },
    {
      method: 'PATCH',
      path: '/users/id0100',
      body: {
        data: { type: 'users', id: 'id0100', attributes: { fullName: 'Kari' }, relationships },
      },
    },
    { method: 'PATCH', path: '/users/id0101/relationships/citizenships', body: countries },
    { method: 'POST', path: '/users/id0101/relationships/citizenships', body: countries },
    { method: 'DELETE', path: '/users/id0101/relationships/citizenships', body: countries },
    { method: 'PATCH', path: '/users/id0101/relationships/placeOfBirth', body: { data: null } },
    { method: 'PATCH', path: '/users/id0101/relationships/relatives', body: relatives },
    { method: 'POST', path: '/users/id0101/relationships/relatives', body: relatives },
    { method: 'DELETE', path: '/users/id0101/relationships/relatives', body: relatives },
    { method: 'DELETE', path: '/users/id0102', body: undefined },
  ])('$method $path goes through no table', async ({ method, path, body }) => {
    const { statements } = await statementsOf(method, path, body)
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.flatMap((statement) => scansIn(planOf(statement)))).toEqual([])
  })
})

describe('what a quota counts (contract, section 15)', () => {
  const attributes = { fullName: 'Ola', email: 'counted@example.com' }
  const relatives = {
    data: [{ type: 'users', id: 'id0001', meta: { relationshipType: 'SON' } }],
  }
  const namesEverybody = () =>
    sqlite.exec(
      "INSERT OR IGNORE INTO user_relatives SELECT 'id0160', id, 'SON' FROM users WHERE id <> 'id0160'",
    )
  it.each([
    {
      what: 'the users of ann',
      path: '/users',
      body: { data: { type: 'users', attributes } },
      index: 'users USING COVERING INDEX users_owner (owner=?)',
      key: 'ann',
    },
    {
      what: 'the relatives of a user',
      path: '/users/id0160/relationships/relatives',
      body: relatives,
      index: 'user_relatives USING PRIMARY KEY (user_id=?)',
      key: 'id0160',
    },
  ])(
    '$what are entries of one index, and the count stops at the bound',
    async ({ path, body, index, key }) => {
      namesEverybody()
      const { statements } = await statementsOf('POST', path, body)
      const counts = statements.flatMap(
        (text) => /SELECT count\(\*\) FROM \(SELECT 1 FROM .*? LIMIT \?\)/s.exec(text) ?? [],
      )
      expect(counts).toHaveLength(1)
      expect(planOf(counts.join())).toEqual([
        'CO-ROUTINE (subquery-1)',
        `SEARCH ${index}`,
        'SCAN (subquery-1)',
      ])
      const counted = (bound: number) =>
        Object.values(sqlite.prepare(counts.join()).get(key, bound) ?? {})
      // Far more are there than the bound: what is counted without end would tell.
      expect(counted(1_000)[0]).toBeGreaterThan(190)
      expect(counted(5)).toEqual([5])
    },
  )
})

describe('what nobody changes', () => {
  it.each(['/countries', '/countries?include=currencies', '/countries/NO', '/currencies'])(
    '%s takes no statement once it is in memory',
    async (path) => {
      await statementsOf('GET', '/countries')
      expect((await statementsOf('GET', path)).statements).toEqual([])
    },
  )
})
