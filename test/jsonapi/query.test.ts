import { describe, expect, it } from 'vitest'
import { encodeCursor } from '../../src/jsonapi/cursor.ts'
import { problemsOf, readQuery, specOf } from './readers.ts'

const items = (count: number, item = 'x') => Array.from({ length: count }, (_, i) => item + i)
const list = 'articles.list'

describe('every parameter at, below and above its bounds (specification, "Limits")', () => {
  it.each<[endpoint: string, query: Record<string, string>]>([
    [list, {}],
    [list, { include: '' }],
    [list, { include: Array(10).fill('author').join() }],
    [list, { 'fields[articles]': '' }],
    [list, { 'fields[articles]': 'title,layout.blocks.kind,tags' }],
    [list, { 'fields[people]': 'nickname', 'fields[tags]': 'label' }],
    [list, { 'filter[id]': '' }],
    [list, { 'filter[id]': items(20).join() }],
    [list, { 'filter[id]': [...items(20), ...items(20)].join() }],
    [list, { 'filter[section]': items(20).join() }],
    [list, { sort: '-title,handle,section,-title,handle' }],
    [list, { 'page[limit]': '1' }],
    [list, { 'page[limit]': '100' }],
    [list, { 'page[limit]': '007' }],
    [list, { 'page[offset]': '0' }],
    [list, { 'page[offset]': '-0' }],
    [list, { 'page[offset]': '9007199254740993' }],
    [list, { 'page[offset]': '9223372036854775807' }],
    ['articles.create', { 'fields[articles]': 'title' }],
    ['articles.author.readOne', { include: 'author.follows' }],
  ])('%s takes %j', (endpoint, query) => {
    expect(problemsOf(endpoint, query)).toEqual([])
  })

  it.each<[endpoint: string, query: Record<string, string | string[]>, problems: string[]]>([
    [list, { include: Array(11).fill('author').join() }, ['VALUE_INVALID_FORMAT include']],
    [list, { include: 'nothing' }, ['INVALID_ENUM_VALUE include']],
    [list, { include: 'author,' }, ['INVALID_ENUM_VALUE include']],
    [list, { include: 'author.follows.follows.follows' }, ['INVALID_ENUM_VALUE include']],
    [list, { include: '__proto__' }, ['INVALID_ENUM_VALUE include']],
    [list, { 'fields[articles]': 'nothing' }, ['INVALID_ENUM_VALUE fields[articles]']],
    [list, { 'fields[articles]': 'layout.nothing' }, ['INVALID_ENUM_VALUE fields[articles]']],
    [list, { 'fields[nothing]': '' }, ['INVALID_ENUM_VALUE fields[nothing]']],
    [list, { 'filter[id]': items(21).join() }, ['VALUE_INVALID_FORMAT filter[id]']],
    [list, { 'filter[section]': items(21).join() }, ['VALUE_INVALID_FORMAT filter[section]']],
    [list, { 'filter[title]': 'x' }, ['UNEXPECTED_PARAMETER filter[title]']],
    [list, { sort: '' }, ['INVALID_ENUM_VALUE sort']],
    [list, { sort: 'words' }, ['INVALID_ENUM_VALUE sort']],
    [list, { sort: '--title' }, ['INVALID_ENUM_VALUE sort']],
    [list, { sort: 'Title' }, ['INVALID_ENUM_VALUE sort']],
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
    [list, { 'page[cursor]': '' }, ['VALUE_INVALID_FORMAT page[cursor]']],
    [list, { 'page[cursor]': 'abc' }, ['VALUE_INVALID_FORMAT page[cursor]']],
    [list, { nothing: 'x' }, ['UNEXPECTED_PARAMETER nothing']],
    [list, { 'page[size]': '1' }, ['UNEXPECTED_PARAMETER page[size]']],
    [list, { Include: 'author' }, ['UNEXPECTED_PARAMETER Include']],
    [list, { '': '' }, ['UNEXPECTED_PARAMETER ']],
    [list, { sort: '\0' }, ['VALUE_INVALID_FORMAT sort']],
    [list, { 'filter[id]': 'a\0' }, ['VALUE_INVALID_FORMAT filter[id]']],
    [list, { 'filter[id]': '\ud800' }, ['VALUE_INVALID_FORMAT filter[id]']],
    [list, { 'page[cursor]': '\0' }, ['VALUE_INVALID_FORMAT page[cursor]']],
    [list, { sort: ['title', 'title'] }, ['VALUE_INVALID_FORMAT sort']],
    [list, { 'page[limit]': ['1', '1'] }, ['VALUE_INVALID_FORMAT page[limit]']],
    [list, { include: ['author', 'author'] }, ['VALUE_INVALID_FORMAT include']],
    [list, { nothing: ['1', '2'] }, ['UNEXPECTED_PARAMETER nothing']],
    ['people.list', { 'page[limit]': '5' }, ['UNEXPECTED_PARAMETER page[limit]']],
    ['tags.list', { 'page[cursor]': 'x' }, ['UNEXPECTED_PARAMETER page[cursor]']],
    ['tags.list', { sort: 'label' }, ['UNEXPECTED_PARAMETER sort']],
    ['tags.list', { 'fields[people]': '' }, ['INVALID_ENUM_VALUE fields[people]']],
    ['articles.get', { 'filter[id]': 'x' }, ['UNEXPECTED_PARAMETER filter[id]']],
    ['articles.create', { include: 'author' }, ['UNEXPECTED_PARAMETER include']],
    ['articles.update', { 'fields[articles]': '' }, ['UNEXPECTED_PARAMETER fields[articles]']],
    ['articles.delete', { x: '' }, ['UNEXPECTED_PARAMETER x']],
    ['articles.author.readOne', { include: 'tags' }, ['INVALID_ENUM_VALUE include']],
    ['articles.author.readOne', { include: 'follows' }, ['INVALID_ENUM_VALUE include']],
    ['articles.author.readOne', { 'page[cursor]': 'x' }, ['UNEXPECTED_PARAMETER page[cursor]']],
  ])('%s refuses %j', (endpoint, query, problems) => {
    expect(problemsOf(endpoint, query)).toEqual(problems)
  })

  it('refuses a parameter of a name that objects have', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const query = JSON.parse(`{"${name}":"x"}`)
      expect(problemsOf(list, query)).toEqual([`UNEXPECTED_PARAMETER ${name}`])
    }
  })

  it('tells everything that is wrong at once', () => {
    const query = {
      include: 'author,nothing,neither',
      'fields[articles]': 'nothing',
      'fields[nothing]': '',
      'filter[id]': items(21).join(),
      sort: 'nothing',
      'page[limit]': '0',
      'page[offset]': 'x',
      'page[cursor]': '!',
      nothing: '1',
    }
    expect(problemsOf(list, query).toSorted()).toEqual([
      'INVALID_ENUM_VALUE fields[articles]',
      'INVALID_ENUM_VALUE fields[nothing]',
      'INVALID_ENUM_VALUE include',
      'INVALID_ENUM_VALUE include',
      'INVALID_ENUM_VALUE sort',
      'UNEXPECTED_PARAMETER nothing',
      'VALUE_INVALID_FORMAT filter[id]',
      'VALUE_INVALID_FORMAT page[cursor]',
      'VALUE_INVALID_FORMAT page[limit]',
      'VALUE_INVALID_FORMAT page[offset]',
      'VALUE_INVALID_FORMAT page[offset]',
    ])
  })
})

describe('a detail names the value and what is allowed (contract, section 5)', () => {
  it.each<[Record<string, string>, ...string[]]>([
    [{ sort: 'title,nothing' }, '"nothing"', 'title, -title, handle, -handle, section, -section'],
    [{ include: 'nothing' }, '"nothing"', 'author.follows.favourite'],
    [
      { 'fields[nothing]': '' },
      '"fields[nothing]"',
      'fields[articles], fields[people], fields[tags]',
    ],
    [{ nothing: '' }, '"nothing"', 'page[cursor], page[limit], page[offset]'],
    [{ 'page[limit]': '101' }, '"101"', 'at most 100'],
    [{ 'page[limit]': '0' }, '"0"', 'at least 1'],
    [{ 'page[limit]': 'x' }, '"x"', 'is not a whole number'],
    [{ 'page[offset]': '-1' }, '"-1"', '0 and 2^63-1'],
    [{ 'filter[id]': items(21).join() }, 'at most 20 items'],
    [{ sort: Array(6).fill('title').join() }, 'at most 5 items'],
  ])('%j', (query, ...parts) => {
    const verdict = readQuery(list, query)
    const [problem] = verdict.ok ? [] : verdict.problems
    for (const part of parts) {
      expect(problem?.detail).toContain(part)
    }
  })

  it('and stays short, whatever is sent', () => {
    const verdict = readQuery('people.list', { 'filter[id]': 'ok', ['x'.repeat(10_000)]: 'y' })
    expect(verdict.ok ? '' : verdict.problems[0]?.detail.length).toBeLessThan(300)
  })
})

describe('a query string, understood', () => {
  it('makes a tree of includes, in which each path grows from what it begins with', () => {
    const { include } = specOf(list, { include: 'author.follows.favourite,tags,author' })
    const follows = new Map([['favourite', new Map()]])
    expect(include).toEqual(
      new Map([
        ['author', new Map([['follows', follows]])],
        ['tags', new Map()],
      ]),
    )
    expect(specOf(list, {}).include).toBeUndefined()
    expect(specOf(list, { include: '' }).include).toEqual(new Map())
  })

  it('keeps the order of sort, and of a field that is named twice the first direction', () => {
    expect(specOf(list, { sort: '-title,handle,title' }).sort).toEqual([
      { field: 'title', descending: true },
      { field: 'handle', descending: false },
    ])
  })

  it('normalises filters by their own schema, counts duplicates once, and tells empty from absent', () => {
    const { filter } = specOf(list, { 'filter[section]': 'News,NEWS,Sport', 'filter[id]': '' })
    expect(filter).toEqual({ section: ['news', 'sport'], id: [] })
    expect(specOf(list, {}).filter).toEqual({})
  })

  it('reads a page of 20 from the start where nothing is said', () => {
    expect(specOf(list, {}).page).toMatchObject({ strategy: 'offset', limit: 20, offset: 0 })
    expect(specOf('people.list', {}).page).toMatchObject({ strategy: 'cursor', limit: 20 })
    const whole = { strategy: 'none', limit: undefined, offset: 0, after: undefined }
    expect(specOf('tags.list', {}).page).toMatchObject(whole)
    expect(specOf('articles.tags.readMany', {}).page.strategy).toBe('none')
    expect(specOf('articles.contributors.readMany', {}).page.strategy).toBe('cursor')
  })

  it('keeps an offset past what a double counts as one that is past the end', () => {
    const { offset } = specOf(list, { 'page[offset]': '9223372036854775807' }).page
    expect(offset).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('a cursor (contract, section 7)', () => {
  const position = { keys: ['k', 'a1'], limit: 7 }
  const query = { sort: '-title', 'filter[section]': 'a,b' }
  const cursor = encodeCursor(specOf(list, query).page.scope, position)

  it('goes on after its row, with the limit it was made with or one that stands beside it', () => {
    expect(specOf(list, { ...query, 'page[cursor]': cursor }).page).toMatchObject({
      strategy: 'cursor',
      after: position.keys,
      limit: 7,
      offset: 0,
    })
    const { page } = specOf(list, { ...query, 'page[cursor]': cursor, 'page[limit]': '3' })
    expect(page.limit).toBe(3)
  })

  it('does not mind fields, include, or the order within a filter', () => {
    const more = { 'filter[section]': 'b,a', include: 'author', 'fields[articles]': 'title' }
    expect(problemsOf(list, { ...query, ...more, 'page[cursor]': cursor })).toEqual([])
  })

  it.each<[string, Record<string, string>, path?: string]>([
    ['another direction', { ...query, sort: 'title' }],
    ['no sort', { 'filter[section]': 'a,b' }],
    ['another filter', { ...query, 'filter[section]': 'a' }],
    ['one filter more', { ...query, 'filter[id]': 'x' }],
    ['another path', query, '/elsewhere'],
  ])('is refused for %s', (_, other, path) => {
    const problems = problemsOf(list, { ...other, 'page[cursor]': cursor }, path)
    expect(problems).toEqual(['VALUE_INVALID_FORMAT page[cursor]'])
  })

  it('is refused beside page[offset]', () => {
    expect(problemsOf(list, { ...query, 'page[cursor]': cursor, 'page[offset]': '0' })).toEqual([
      'VALUE_INVALID_FORMAT page[offset]',
    ])
  })

  it.each([0, -1, 101, 1e9])('is refused when somebody made it say %d a page', (limit) => {
    const { scope } = specOf(list, {}).page
    const made = encodeCursor(scope, { keys: ['a1'], limit })
    expect(problemsOf(list, { 'page[cursor]': made })).toEqual([
      'VALUE_INVALID_FORMAT page[cursor]',
    ])
  })
})
