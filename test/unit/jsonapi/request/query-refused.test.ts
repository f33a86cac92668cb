import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { encodeCursor, scopeOf, sealCursor } from '../../../../src/jsonapi/request/cursor.ts'
import { queryReader } from '../../../../src/jsonapi/request/query.ts'
import { queryRules } from '../../../../src/jsonapi/request/query-parameters.ts'
import { createSealer, parseKeyRing } from '../../../../src/lib/key-ring.ts'
import { sealer } from '../../../support/sealer.ts'
import { endpointOf, openedAfter, problemsOf, readSent, told } from '../run/readers.ts'

const items = (count: number, item = 'x') => Array.from({ length: count }, (_, i) => item + i)
const list = 'articles.list'

describe('every parameter at, below and above its bounds', () => {
  it.each<[endpoint: string, query: Record<string, string>]>([
    [list, {}],
    [list, { include: Array(10).fill('author').join() }],
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

  it.each<[endpoint: string, query: Record<string, string | string[]>, problems: string[]]>([
    [list, { include: Array(11).fill('author').join() }, ['VALUE_INVALID_FORMAT include']],
    ...['include', 'sort', 'fields[articles]', 'filter[id]', 'filter[section]'].flatMap((name) =>
      [',', ',title', 'title,', 'title,,title'].map(
        (value): [string, Record<string, string>, string[]] => [
          list,
          { [name]: name === 'include' ? value.replaceAll('title', 'author') : value },
          [`VALUE_INVALID_FORMAT ${name}`],
        ],
      ),
    ),
    [list, { include: 'nothing,author,nothing' }, ['INVALID_ENUM_VALUE include']],
    [
      list,
      { include: `nothing,,${Array(9).fill('author').join()},neither` },
      [
        'VALUE_INVALID_FORMAT include',
        'INVALID_ENUM_VALUE include',
        'VALUE_INVALID_FORMAT include',
      ],
    ],
    [list, { include: 'author.follows.follows.follows' }, ['INVALID_ENUM_VALUE include']],
    [list, { 'fields[articles]': 'layout.nothing' }, ['INVALID_ENUM_VALUE fields[articles]']],
    [list, { 'fields[nothing]': '' }, ['INVALID_ENUM_VALUE fields[nothing]']],
    [list, { 'filter[section]': items(21).join() }, ['VALUE_INVALID_FORMAT filter[section]']],
    [list, { sort: 'words' }, ['INVALID_ENUM_VALUE sort']],
    [list, { sort: Array(6).fill('title').join() }, ['VALUE_INVALID_FORMAT sort']],
    ...['0', '-1', '101', '', ' 1', '1.5', '1e1', '0x1', 'abc', '٣', '9'.repeat(30)].map(
      (value): [string, Record<string, string>, string[]] => [
        list,
        { 'page[limit]': value },
        ['VALUE_INVALID_FORMAT page[limit]'],
      ],
    ),
    ...['-1', '', '+1', '1.5', 'abc', '--1', '9223372036854775808', '9'.repeat(30)].map(
      (value): [string, Record<string, string>, string[]] => [
        list,
        { 'page[offset]': value },
        ['VALUE_INVALID_FORMAT page[offset]'],
      ],
    ),
    [list, { 'page[cursor]': 'abc' }, ['VALUE_INVALID_FORMAT page[cursor]']],
    [list, { 'filter[id]': 'a\0,\ud800' }, Array(2).fill('VALUE_INVALID_FORMAT filter[id]')],
    [list, { 'page[limit]': ['1', '1'] }, ['VALUE_INVALID_FORMAT page[limit]']],
    ['people.list', { 'page[limit]': '5' }, ['UNEXPECTED_PARAMETER page[limit]']],
    [
      'people.list',
      { 'page[cursor]': 'x', 'page[offset]': '0' },
      ['VALUE_INVALID_FORMAT page[cursor]', 'UNEXPECTED_PARAMETER page[offset]'],
    ],
    ['articles.create', { include: 'author' }, ['UNEXPECTED_PARAMETER include']],
    ['articles.author.readOne', { include: 'tags' }, ['INVALID_ENUM_VALUE include']],
  ])('%s refuses %j', async (endpoint, query, problems) => {
    expect(await problemsOf(endpoint, query)).toEqual(problems)
  })

  it('refuses include where there is no relationship to follow', async () => {
    const definition = { ...endpointOf('tags.list').definition, relationships: {} }
    const endpoint = { ...endpointOf('tags.list'), subject: definition }
    const reader = queryReader(queryRules(createRegistry([definition]), endpoint))
    expect(told(await readSent(reader, { include: '' }))).toEqual(['UNEXPECTED_PARAMETER include'])
  })
})

describe('a cursor of values that this service did not seal', () => {
  const sort = [{ field: 'title', descending: false }]
  const position = { keys: ['x', 'a1'], limit: 20 }
  const scope = scopeOf('/path', sort, {})
  const opened = async (cursor: string) =>
    openedAfter('articles.list', { sort: 'title', 'page[cursor]': cursor })

  it('is refused where it is a cursor of ids', async () => {
    expect(await opened(encodeCursor(scope, 'a1', 20))).toBeUndefined()
    expect(await opened(await sealCursor(scope, position, sealer))).toEqual(position.keys)
  })

  it('is refused under another key', async () => {
    const keys = { k: `${'B'.repeat(42)}A` }
    const foreign = createSealer(parseKeyRing(JSON.stringify({ current: 'k', keys })), 'cursor')
    expect(await opened(await sealCursor(scope, position, foreign))).toBeUndefined()
  })

  it.each([[[]], [['x']], [['x', 'y', 'z']]])(
    'is refused with %j in place of one value for each key of the order, and the id',
    async (keys) => {
      const cursor = await sealCursor(scope, { keys, limit: 20 }, sealer)
      expect(await opened(cursor)).toBeUndefined()
    },
  )

  it('is refused where ids are in order: nothing is sealed there', async () => {
    const cursor = await sealCursor(scopeOf('/path', [], {}), { keys: ['a1'], limit: 20 }, sealer)
    expect(await problemsOf('articles.list', { 'page[cursor]': cursor })).toEqual([
      'VALUE_INVALID_FORMAT page[cursor]',
    ])
  })
})
