import { describe, expect, it } from 'vitest'
import { scansIn, startPlanned } from './planned.ts'

const { run, statementsOf, planOf, scansOf } = await startPlanned()

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
        const plan = await planOf(statements.join())
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
    const plan = await planOf(statements.join())
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
    expect(await scansOf(statements)).toEqual([])
  })

  it('finds a scan where there is one', async () => {
    expect(await scansOf(['SELECT * FROM users AS p WHERE full_name = ?'])).toEqual(['SCAN p'])
    expect(await scansOf(['SELECT * FROM user_citizenships'])).toEqual(['SCAN user_citizenships'])
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
    {
      method: 'POST',
      path: '/operations',
      body: {
        'atomic:operations': [
          {
            op: 'add',
            data: {
              type: 'users',
              attributes: { fullName: 'Eva', email: 'eva@example.com' },
              relationships,
            },
          },
          {
            op: 'update',
            data: { type: 'users', id: 'id0103', attributes: { email: 'e@x.io' }, relationships },
          },
          ...(['add', 'update', 'remove'] as const).map((op) => ({
            op,
            ref: { type: 'users', id: 'id0104', relationship: 'relatives' },
            ...relatives,
          })),
          { op: 'remove', ref: { type: 'users', id: 'id0105' } },
        ],
      },
    },
  ])('$method $path goes through no table', async ({ method, path, body }) => {
    const { statements } = await statementsOf(method, path, body)
    expect(statements.length).toBeGreaterThan(0)
    expect(await scansOf(statements)).toEqual([])
  })
})

describe('what a quota and a bound of transactions count (contract, sections 13 and 15)', () => {
  const attributes = { fullName: 'Ola', email: 'counted@example.com' }
  const relatives = {
    data: [{ type: 'users', id: 'id0001', meta: { relationshipType: 'SON' } }],
  }
  const namesEverybody = () =>
    run(
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
    {
      what: 'what names a user whom a transaction deletes',
      path: '/operations',
      body: { 'atomic:operations': [{ op: 'remove', ref: { type: 'users', id: 'id0001' } }] },
      index: 'user_relatives USING COVERING INDEX user_relatives_relative (relative_id=?)',
      key: 'id0000',
    },
  ])(
    '$what are entries of one index, and the count stops at the bound',
    async ({ path, body, index, key }) => {
      await namesEverybody()
      const { statements } = await statementsOf('POST', path, body)
      const counts = statements.flatMap(
        (text) => /SELECT count\(\*\) FROM \(SELECT 1 FROM .*? LIMIT \?\)/s.exec(text) ?? [],
      )
      expect(counts).toHaveLength(1)
      expect(await planOf(counts.join())).toEqual([
        'CO-ROUTINE (subquery-1)',
        `SEARCH ${index}`,
        'SCAN (subquery-1)',
      ])
      const counted = async (bound: number) => (await run(counts.join(), key, bound)).flat()
      // Far more rows exist than the bound, so that a count without an end would show.
      expect((await counted(1_000))[0]).toBeGreaterThan(190)
      expect(await counted(5)).toEqual([5])
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
