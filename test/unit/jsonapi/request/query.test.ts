import { describe, expect, it } from 'vitest'
import { encodeCursor, scopeOf, sealCursor } from '../../../../src/jsonapi/request/cursor.ts'
import { fieldTree, type PathTree } from '../../../../src/jsonapi/request/query.ts'
import { createSealer, parseKeyRing } from '../../../../src/lib/key-ring.ts'
import { sealer } from '../../../support/sealer.ts'
import { problemsOf, readQuery, specOf } from '../run/readers.ts'

// All faults of a query together, test/http tells: faults/every-fault.test.ts.

const list = 'articles.list'
const items = (count: number, item = 'x') => Array.from({ length: count }, (_, i) => item + i)
const author = (count: number) => Array(count).fill('author').join()

describe('every parameter at, below and above its bounds', () => {
  it.each<[endpoint: string, query: Record<string, string>]>([
    [list, { include: author(10) }],
    [list, { 'fields[articles]': 'title,layout.blocks.kind,tags' }],
    [list, { 'filter[id]': items(20).join() }],
    [list, { sort: '-title,handle,section,-title,handle' }],
    [list, { 'page[limit]': '100' }],
    [list, { 'page[limit]': '007' }],
    [list, { 'page[offset]': '-0' }],
    [list, { 'page[offset]': '9223372036854775807' }],
    ['articles.create', { 'fields[articles]': 'title' }],
    ['articles.author.readOne', { include: 'author.follows' }],
  ])('%s takes %j', async (endpoint, query) => {
    expect(await problemsOf(endpoint, query)).toEqual([])
  })

  it.each<[name: string, ...values: string[]]>([
    ['page[limit]', '0', '-1', '101', '', ' 1', '1.5', '1e1', '0x1', 'abc', '٣', '9'.repeat(30)],
    ['page[offset]', '-1', '', '+1', '1.5', 'abc', '9223372036854775808', '9'.repeat(30)],
    ['page[cursor]', 'abc', ''],
    ['include', author(11), ',', ',author', 'author,', 'author,,author'],
    ['sort', Array(6).fill('title').join(), ',title', 'title,', 'title,,title'],
    ['fields[articles]', ',title', 'title,'],
    ['filter[id]', items(21).join(), 'a,', 'a\0'],
    ['filter[section]', items(21).join(), ',a'],
  ])('%s is no %j', async (name, ...values) => {
    for (const value of values) {
      const told = await problemsOf(list, { [name]: value })
      expect([value, ...told]).toEqual([value, `VALUE_INVALID_FORMAT ${name}`])
    }
  })

  it.each<[endpoint: string, query: Record<string, string>, problem: string]>([
    [list, { include: 'author.follows.follows.follows' }, 'INVALID_ENUM_VALUE include'],
    [list, { 'fields[articles]': 'layout.nothing' }, 'INVALID_ENUM_VALUE fields[articles]'],
    [list, { 'fields[nothing]': '' }, 'INVALID_ENUM_VALUE fields[nothing]'],
    [list, { sort: 'words' }, 'INVALID_ENUM_VALUE sort'],
    ['people.list', { 'page[limit]': '5' }, 'UNEXPECTED_PARAMETER page[limit]'],
    ['articles.create', { include: 'author' }, 'UNEXPECTED_PARAMETER include'],
    ['articles.author.readOne', { include: 'tags' }, 'INVALID_ENUM_VALUE include'],
  ])('%s refuses %j', async (endpoint, query, problem) => {
    expect(await problemsOf(endpoint, query)).toEqual([problem])
  })
})

describe('a cursor', () => {
  const pageOf = async (query: Record<string, string>) => (await readQuery(list, query)).value?.page
  const position = { keys: ['k', 'a1'], limit: 7 }
  const query = { sort: '-title', 'filter[section]': 'a,b' }
  const scope = async () => (await specOf(list, query)).page.scope
  const made = async (by = sealer, at = position) => sealCursor(await scope(), at, by)

  it('goes on after its row, with the limit it was made with or one that stands beside it', async () => {
    const sent = { ...query, 'page[cursor]': await made() }
    const page = { strategy: 'cursor', after: position.keys, limit: 7, offset: 0 }
    expect(await pageOf(sent)).toMatchObject(page)
    expect(await pageOf({ ...sent, 'page[limit]': '3' })).toMatchObject({ ...page, limit: 3 })
  })

  it('is refused beside page[offset]', async () => {
    const both = { ...query, 'page[cursor]': await made(), 'page[offset]': '0' }
    expect(await problemsOf(list, both)).toEqual(['VALUE_INVALID_FORMAT page[offset]'])
  })

  it('is refused where this service did not seal it: of ids, under another key, of too few values or too many', async () => {
    const keys = { k: `${'B'.repeat(42)}A` }
    const foreign = createSealer(parseKeyRing(JSON.stringify({ current: 'k', keys })), 'cursor')
    const other = (...keys: string[]) => made(sealer, { keys, limit: 20 })
    const cursors = [encodeCursor(await scope(), 'a1', 20), await made(foreign)]
    for (const cursor of [
      ...cursors,
      await other(),
      await other('x'),
      await other('x', 'y', 'z'),
    ]) {
      expect((await pageOf({ ...query, 'page[cursor]': cursor }))?.after).toBeUndefined()
    }
    const unsorted = await sealCursor(scopeOf('/path', [], {}), { keys: ['a1'], limit: 20 }, sealer)
    expect((await pageOf({ 'page[cursor]': unsorted }))?.after).toBeUndefined()
  })

  it.each<[endpoint: string, limit: number, isTaken: boolean]>([
    [list, 1, true],
    [list, 100, true],
    [list, 0, false],
    [list, 101, false],
    ['people.list', 20, true],
    ['people.list', 21, false],
    ['people.list', 1, false],
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
  [['a.b.c', 'a.b.d', 'a.e'], { a: { b: { c: 'all', d: 'all' }, e: 'all' } }],
  [['a', 'a.b'], { a: 'all' }],
  [['a.b', 'a'], { a: 'all' }],
  [['a.b.c', 'a.b'], { a: { b: 'all' } }],
  [['__proto__', 'constructor'], JSON.parse('{ "__proto__": "all", "constructor": "all" }')],
])('a tree of fields of %j is %j: a whole field wins over its members', (names, tree) => {
  expect(plain(fieldTree(names))).toEqual(tree)
})
