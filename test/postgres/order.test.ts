import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { readValues } from '../../src/db/page.ts'
import { readStatement } from '../../src/db/read.ts'
import { bind } from '../../src/db/statement.ts'
import type { SortKey } from '../../src/jsonapi/request/query.ts'
import type { From, Read, Selection } from '../../src/jsonapi/run/store.ts'
import { registry } from '../../src/resources/index.ts'
import { addition, creation, renaming, storeAt } from './stores.ts'

let client: Client
const people = Array.from({ length: 12 }, () => creation('in order'))
const idOf = (index: number): string => people[index]?.change.id ?? ''

beforeAll(async () => {
  const url = inject('postgresUrl')
  client = await connected(url)
  const store = storeAt(url)
  for (const [index, person] of people.entries()) {
    await store.write(person)
    await store.write(renaming('in order', idOf(index), `Name ${index % 3}`))
    await store.write(addition('in order', idOf(index), index % 2 === 0 ? 'NO' : 'SE'))
  }
  await client.query(
    `INSERT INTO user_relatives SELECT a.id, b.id, 'SISTER' FROM users AS a, users AS b
      WHERE a.owner = 'in order' AND b.owner = 'in order' AND a.id <> b.id`,
  )
})

afterAll(() => client.end())

const show: Selection = {
  attributes: ['fullName', 'email'],
  ownAttributes: [],
  relationships: ['citizenships', 'relatives'],
}
const alongside = [{ relationship: 'relatives', target: 'users', show }]

/** Ranks that put rows into another order than the one that a table in WITH or a part of a union is made in. */
const shuffled = (rows: string, column: string) =>
  `(SELECT * FROM (${rows}) AS unordered ORDER BY md5(${column}::text), md5(unordered::text))`

/** The same statement on a server whose tables in WITH have no order. */
const withoutHabits = (text: string): string =>
  text.replace(
    /FROM (page|members)\b/g,
    (_, table) => `FROM ${shuffled(`SELECT * FROM ${table}`, 'c0')} AS ${table}`,
  )

const sorts: SortKey[][] = [
  [],
  [{ field: 'fullName', descending: true }],
  [
    { field: 'fullName', descending: false },
    { field: 'email', descending: true },
  ],
]

const reads: [string, From][] = sorts.flatMap((sort): [string, From][] => {
  const named = sort.map(({ field, descending }) => (descending ? `-${field}` : field)).join()
  const page = { filter: {}, sort, limit: 5 }
  const after = sort.length === 0 ? [''] : ['name 1', sort.length === 1 ? idOf(4) : '']
  return [
    [`a first page, ${named}`, { ...page, kind: 'page', offset: 0, total: true }],
    [`a page by offset, ${named}`, { ...page, kind: 'page', offset: 3, total: true }],
    [`a page by cursor, ${named}`, { ...page, kind: 'page', offset: 0, after, total: true }],
    [
      `members, ${named}`,
      { ...page, kind: 'linkage', id: idOf(0), relationship: 'relatives', total: false },
    ],
    [
      `related resources, ${named}`,
      {
        ...page,
        kind: 'page',
        offset: 0,
        total: false,
        of: { type: 'users', id: idOf(0), relationship: 'relatives' },
      },
    ],
  ] as [string, From][]
})

describe('statements say the order of their rows, and rely on no habit of the server', () => {
  it.each(reads)('%s', async (_, from) => {
    const read: Read = { type: 'users', from, show, alongside, viewer: 'in order', members: 'all' }
    const { statement, kinds } = readStatement(registry, read)
    const { text, values } = bind(statement, readValues(registry, read))
    const scrambled = withoutHabits(text)
    expect(scrambled).not.toBe(text)
    const rowsOf = async (sql: string) => {
      const { rows } = await client.query<{ slot: number; c0: string }>(sql, values)
      const slotsOf = (...wanted: string[]) =>
        rows.filter(({ slot }) => wanted.includes(kinds[slot]?.kind ?? ''))
      return {
        inOrder: slotsOf('record', 'member'),
        related: slotsOf('related').toSorted((one, other) => (one.c0 < other.c0 ? -1 : 1)),
      }
    }
    // One state of the database for both: other tests add users to it.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const [found, again] = [await rowsOf(text), await rowsOf(scrambled)]
    await client.query('ROLLBACK')
    expect(found.inOrder.length).toBeGreaterThan(3)
    expect(again).toEqual(found)
  })
})
