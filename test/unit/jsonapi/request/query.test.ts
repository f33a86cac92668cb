import { describe, expect, it } from 'vitest'
import { encodeCursor, sealCursor } from '../../../../src/jsonapi/request/cursor.ts'
import { fieldTree, type PathTree } from '../../../../src/jsonapi/request/query.ts'
import { sealer } from '../../../support/sealer.ts'
import { problemsOf, readQuery, specOf, told } from '../run/readers.ts'

const list = 'articles.list'

describe('a cursor', () => {
  const pageOf = async (...args: Parameters<typeof readQuery>) => {
    return (await readQuery(...args)).value?.page
  }
  const position = { keys: ['k', 'a1'], limit: 7 }
  const query = { sort: '-title', 'filter[section]': 'a,b' }
  const made = async () => sealCursor((await specOf(list, query)).page.scope, position, sealer)

  it('goes on after its row, with the limit it was made with or one that stands beside it', async () => {
    const cursor = await made()
    const after = await pageOf(list, { ...query, 'page[cursor]': cursor })
    expect(after).toMatchObject({
      strategy: 'cursor',
      after: position.keys,
      limit: 7,
      offset: 0,
    })
    const page = await pageOf(list, { ...query, 'page[cursor]': cursor, 'page[limit]': '3' })
    expect(page?.limit).toBe(3)
  })

  it.each<[string, Record<string, string>, path?: string]>([
    ['another direction', { ...query, sort: 'title' }],
    ['no sort', { 'filter[section]': 'a,b' }],
    ['another filter', { ...query, 'filter[section]': 'a' }],
    ['one filter more', { ...query, 'filter[id]': 'x' }],
    ['another path', query, '/elsewhere'],
  ])('is refused for %s', async (_, other, path) => {
    const refused = { ...other, 'page[cursor]': await made() }
    const verdict = await readQuery(list, refused, path)
    expect(told(verdict)).toEqual(['VALUE_INVALID_FORMAT page[cursor]'])
    expect(verdict.faults.problems[0]?.detail).toContain(refused['page[cursor]'].slice(0, 64))
  })

  it('is refused beside page[offset]', async () => {
    const both = { ...query, 'page[cursor]': await made(), 'page[offset]': '0' }
    expect(told(await readQuery(list, both))).toEqual(['VALUE_INVALID_FORMAT page[offset]'])
  })

  it.each<[endpoint: string, limit: number, isTaken: boolean]>([
    [list, 1, true],
    [list, 100, true],
    [list, 0, false],
    [list, -1, false],
    [list, 101, false],
    ['people.list', 20, true],
    ['people.list', 21, false],
    ['people.list', 1, false],
    ['articles.contributors.readMany', 100, false],
    ['articles.contributors.relatedMany', 100, false],
  ])(
    'that somebody made is held to the bounds of page[limit]: of %s with %d a page is taken %j',
    async (name, limit, isTaken) => {
      const { scope } = (await specOf(name, {})).page
      const cursor = encodeCursor(scope, 'p1', limit)
      const problems = isTaken ? [] : ['VALUE_INVALID_FORMAT page[cursor]']
      expect(await problemsOf(name, { 'page[cursor]': cursor })).toEqual(problems)
    },
  )
})

/** A tree as an object, for the eye. */
const plain = (tree: PathTree): unknown =>
  Object.fromEntries([...tree].map(([name, of]) => [name, of.size === 0 ? 'all' : plain(of)]))

it.each<[names: string[], tree: object]>([
  [[], {}],
  [['a', 'a', 'b'], { a: 'all', b: 'all' }],
  [['a.b.c', 'a.b.d', 'a.e'], { a: { b: { c: 'all', d: 'all' }, e: 'all' } }],
  [['a', 'a.b'], { a: 'all' }],
  [['a.b', 'a'], { a: 'all' }],
  [['a.b.c', 'a.b'], { a: { b: 'all' } }],
  [['__proto__', 'constructor'], JSON.parse('{ "__proto__": "all", "constructor": "all" }')],
])('a tree of fields of %j is %j: a whole field wins over its members', (names, tree) => {
  expect(plain(fieldTree(names))).toEqual(tree)
})
