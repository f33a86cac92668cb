import { describe, expect, it } from 'vitest'
import { encodeCursor, sealCursor } from '../../../../src/jsonapi/request/cursor.ts'
import { fieldTree } from '../../../../src/jsonapi/request/query.ts'
import { sealer } from '../../../support/sealer.ts'
import { openedAfter, openedQuery, problemsOf, readQuery, specOf, told } from '../run/readers.ts'

const list = 'articles.list'

describe('a detail names the value and what is allowed (contract, section 5)', () => {
  const detailOf = (...[endpoint, query]: Parameters<typeof readQuery>) => {
    const verdict = readQuery(endpoint, query)
    return verdict.ok ? undefined : verdict.problems[0]?.detail
  }

  it.each<[Record<string, string | string[]>, ...string[]]>([
    [{ sort: 'title,nothing' }, '"nothing"', 'title, -title, handle, -handle, section, -section'],
    [{ include: 'nothing' }, '"nothing"', 'author.follows.favourite'],
    [{ nothing: '' }, '"nothing"', 'page[cursor], page[limit], page[offset]'],
    [{ 'page[limit]': '101' }, '"101"', 'at most 100'],
    [{ 'page[limit]': 'x' }, '"x"', 'page[limit] is "x", but must be a whole number.'],
    [{ 'page[offset]': '-1' }, '"-1"', '0 and 2^63-1'],
    [{ 'page[cursor]': '!' }, '"!"', 'must be a cursor'],
    [{ 'filter[id]': 'a\0' }, 'hold no NUL'],
    [{ sort: Array(6).fill('title').join() }, 'at most 5 items'],
    [{ sort: ['title', 'handle'] }, 'sort is sent more than once'],
  ])('where the query is %j', (query, ...parts) => {
    for (const part of parts) {
      expect(detailOf(list, query)).toContain(part)
    }
  })

  it.each<[endpoint: string, query: Record<string, string>, detail: string]>([
    [
      list,
      { 'fields[nothing]': '' },
      '"fields[nothing]" is not one of: fields[articles], fields[people], fields[tags].',
    ],
    [
      'tags.list',
      { include: 'nothing' },
      '"nothing" is not one of: neighbours, neighbours.neighbours, neighbours.neighbours.neighbours.',
    ],
    [
      'articles.update',
      { sort: 'title' },
      '"sort" is not taken here. This operation takes no parameter.',
    ],
  ])('and no more than that: %s with %j', (endpoint, query, detail) => {
    expect(detailOf(endpoint, query)).toBe(detail)
  })

  it('and stays short, whatever is sent', () => {
    const query = { 'filter[id]': 'ok', ['x'.repeat(10_000)]: 'y' }
    expect(detailOf('people.list', query)?.length).toBeLessThan(300)
  })
})

describe('a query string, understood', () => {
  it('makes a tree of includes, in which each path grows from what it begins with', () => {
    const { include } = specOf(list, { include: 'author.follows.favourite,tags,author' })
    const author = new Map([['follows', new Map([['favourite', new Map()]])]])
    expect(include).toEqual(new Map().set('author', author).set('tags', new Map()))
    expect(specOf(list, {}).include).toBeUndefined()
    expect(specOf(list, { include: '' }).include).toEqual(new Map())
  })

  it('makes a tree of fields for each type that is asked about', () => {
    const query = { 'fields[articles]': 'title,layout.columns', 'fields[tags]': '' }
    const articles = fieldTree(['title', 'layout.columns'])
    expect(specOf(list, query).fields).toEqual(
      new Map().set('articles', articles).set('tags', new Map()),
    )
    expect(specOf(list, {}).fields).toEqual(new Map())
  })

  it('keeps the order of sort, and of a field that is named twice the first direction', () => {
    expect(specOf(list, { sort: '-title,handle,title' }).sort).toEqual([
      { field: 'title', descending: true },
      { field: 'handle', descending: false },
    ])
    expect(specOf(list, {}).sort).toEqual([])
  })

  it('normalises filters by their own schema, counts duplicates once, and tells empty from absent', () => {
    const { filter } = specOf(list, { 'filter[handle]': 'News,NEWS,Sport', 'filter[id]': '' })
    expect(filter).toEqual({ handle: ['news', 'sport'], id: [] })
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
  const pageOf = async (...args: Parameters<typeof openedQuery>) => {
    const verdict = await openedQuery(...args)
    return verdict.ok ? verdict.value.page : undefined
  }
  const position = { keys: ['k', 'a1'], limit: 7 }
  const query = { sort: '-title', 'filter[section]': 'a,b' }
  const made = () => sealCursor(sealer, specOf(list, query).page.scope, position)

  it('is opened where one was sent: the first page of an order needs none', async () => {
    const verdict = await openedQuery(list, { sort: 'title' })
    expect(verdict).toMatchObject({ ok: true, value: { page: { after: undefined, offset: 0 } } })
  })

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

  it('does not mind fields, include, or the order within a filter', async () => {
    const more = { 'filter[section]': 'b,a', include: 'author', 'fields[articles]': 'title' }
    const cursor = await made()
    expect(await openedAfter(list, { ...query, ...more, 'page[cursor]': cursor })).toEqual(
      position.keys,
    )
  })

  it.each<[string, Record<string, string>, path?: string]>([
    ['another direction', { ...query, sort: 'title' }],
    ['no sort', { 'filter[section]': 'a,b' }],
    ['another filter', { ...query, 'filter[section]': 'a' }],
    ['one filter more', { ...query, 'filter[id]': 'x' }],
    ['another path', query, '/elsewhere'],
  ])('is refused for %s', async (_, other, path) => {
    const refused = { ...other, 'page[cursor]': await made() }
    const verdict = await openedQuery(list, refused, path)
    expect(told(verdict)).toEqual(['VALUE_INVALID_FORMAT page[cursor]'])
    expect(verdict.ok ? '' : verdict.problems[0]?.detail).toContain(
      refused['page[cursor]'].slice(0, 64),
    )
  })

  it('is refused beside page[offset]', async () => {
    const both = { ...query, 'page[cursor]': await made(), 'page[offset]': '0' }
    expect(told(await openedQuery(list, both))).toEqual(['VALUE_INVALID_FORMAT page[offset]'])
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
    (name, limit, isTaken) => {
      const { scope } = specOf(name, {}).page
      const cursor = encodeCursor(scope, 'p1', limit)
      const problems = isTaken ? [] : ['VALUE_INVALID_FORMAT page[cursor]']
      expect(problemsOf(name, { 'page[cursor]': cursor })).toEqual(problems)
    },
  )
})
