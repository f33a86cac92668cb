import { describe, expect, it } from 'vitest'
import { anyone } from '../../../../src/jsonapi/declare/access.ts'
import { encodeCursor, scopeOf } from '../../../../src/jsonapi/request/cursor.ts'
import type { From } from '../../../../src/jsonapi/run/store.ts'
import { pageMeta } from '../../../support/documents.ts'
import { tags } from '../../db/second-domain/tags.ts'
import { client, person, type Sent } from '../request/requests.ts'
import { page } from './memory-store.ts'
import { ask } from './reading.ts'

const jsonapi = { version: '1.1' }

describe('a collection (contract, sections 1 and 7)', () => {
  it('answers 200 with its resources, links and the total of a page by limit and offset', async () => {
    const query = { 'page[limit]': '1', 'fields[articles]': 'title' }
    const { status, headers, document } = await ask('articles.list', { query })
    const rest = '/root/articles?fields%5Barticles%5D=title&page%5Blimit%5D=1'
    expect([status, headers]).toEqual([200, []])
    expect(document).toEqual({
      jsonapi,
      links: {
        self: '/root/articles?page%5Blimit%5D=1&fields%5Barticles%5D=title',
        first: rest,
        prev: null,
        next: `${rest}&page%5Boffset%5D=1`,
        last: `${rest}&page%5Boffset%5D=1`,
      },
      meta: pageMeta({ totalItems: 2 }),
      data: [
        {
          type: 'articles',
          id: 'a1',
          attributes: { title: 'One' },
          links: { self: '/root/articles/a1' },
        },
        {
          type: 'articles',
          id: 'a2',
          attributes: { title: 'Two' },
          links: { self: '/root/articles/a2' },
        },
      ],
    })
  })

  it('goes on where the store says that its page ends', async () => {
    const { document } = await ask('people.list', { instead: { position: ['p2'] } })
    const cursor = encodeCursor(scopeOf('/root/people', [], {}), 'p2', 20)
    expect(document.meta).toEqual(pageMeta({ nextCursor: cursor }))
    expect(document.links?.next).toBe(`/root/people?page%5Bcursor%5D=${cursor}`)
  })

  it('is an array however few there are', async () => {
    expect((await ask('articles.list', { resources: [] })).document.data).toEqual([])
    const { document } = await ask('tags.list', { resources: [{ type: 'tags', id: 't1' }] })
    expect(document.data).toMatchObject([{ type: 'tags', id: 't1' }])
    expect(document.links).toEqual({ self: '/root/tags' })
  })
})

describe('a resource', () => {
  it('answers 200 with the resource and the path as it was sent', async () => {
    const query = { 'fields[articles]': 'section,author' }
    const { status, headers, document } = await ask('articles.get', { id: 'a1', query })
    expect([status, headers]).toEqual([200, []])
    expect(document).toEqual({
      jsonapi,
      links: { self: '/root/articles/a1?fields%5Barticles%5D=section,author' },
      data: {
        type: 'articles',
        id: 'a1',
        attributes: { section: 'News' },
        relationships: {
          author: {
            links: {
              self: '/root/articles/a1/relationships/author',
              related: '/root/articles/a1/author',
            },
            data: { type: 'people', id: 'p1' },
          },
        },
        links: { self: '/root/articles/a1' },
      },
    })
  })
})

describe('a relationship (JSON:API 1.1, "Fetching Relationships")', () => {
  it('to many is the identifiers of its members, in pages by cursor', async () => {
    const { status, document } = await ask('people.follows.readMany', { id: 'p1' })
    const self = '/root/people/p1/relationships/follows'
    expect(status).toBe(200)
    expect(document).toEqual({
      jsonapi,
      links: {
        self,
        first: self,
        prev: null,
        next: null,
        last: null,
        related: '/root/people/p1/follows',
      },
      data: [{ type: 'people', id: 'p2' }],
    })
  })

  it('to many is all of them at once where it does not page, or none', async () => {
    const { document } = await ask('tags.neighbours.readMany', { id: 't1' })
    expect(document).toEqual({
      jsonapi,
      links: {
        self: '/root/tags/t1/relationships/neighbours',
        related: '/root/tags/t1/neighbours',
      },
      data: [],
    })
  })

  it.each([
    ['p1', { type: 'tags', id: 't2' }],
    ['p2', null],
  ])('to one is the identifier or null: %s', async (id, data) => {
    const { status, document } = await ask('people.favourite.readOne', { id })
    expect(status).toBe(200)
    expect(document).toEqual({
      jsonapi,
      links: {
        self: `/root/people/${id}/relationships/favourite`,
        related: `/root/people/${id}/favourite`,
      },
      data,
    })
  })
})

describe('a resource that does not exist (contract, section 2)', () => {
  it.each([
    'articles.get',
    'articles.author.readOne',
    'articles.contributors.readMany',
    'articles.author.relatedOne',
    'articles.contributors.relatedMany',
  ])('is 404 at the path: %s', async (name) => {
    await expect(ask(name, { id: 'gone' })).rejects.toMatchObject({
      status: 404,
      problems: [
        {
          code: 'NOT_FOUND',
          detail: expect.stringMatching(/articles.*"gone"/),
          source: { path: 'id' },
        },
      ],
    })
  })
})

describe('what the store is asked for', () => {
  const cursor = (path: string, limit = 7) => encodeCursor(scopeOf(path, [], {}), 'k', limit)
  const members: From = {
    kind: 'linkage',
    id: 'p1',
    relationship: 'follows',
    filter: {},
    sort: [],
    after: undefined,
    limit: 20,
  }
  const follows = '/root/people/p1/relationships/follows'

  it.each<[string, Sent, From]>([
    [
      'articles.list',
      { query: { 'filter[section]': 'News', sort: '-title', 'page[offset]': '40' } },
      {
        ...page,
        filter: { section: ['News'] },
        sort: [{ field: 'title', descending: true }],
        offset: 40,
        total: true,
      },
    ],
    [
      'articles.list',
      { query: { 'page[cursor]': cursor('/root/articles') } },
      { ...page, after: ['k'], limit: 7 },
    ],
    ['people.list', {}, page],
    ['tags.list', {}, { ...page, limit: undefined }],
    ['articles.get', { id: 'a1' }, { kind: 'ids', ids: ['a1'] }],
    ['people.follows.readMany', { id: 'p1' }, members],
    [
      'people.follows.readMany',
      { id: 'p1', query: { 'page[cursor]': cursor(follows, 20) } },
      { ...members, after: ['k'], limit: 20 },
    ],
    [
      'people.favourite.readOne',
      { id: 'p1' },
      { ...members, relationship: 'favourite', limit: undefined },
    ],
    [
      'articles.contributors.readMany',
      { id: 'a1', query: { sort: '-born', 'filter[id]': 'p1' } },
      {
        ...members,
        id: 'a1',
        relationship: 'contributors',
        filter: { id: ['p1'] },
        sort: [{ field: 'born', descending: true }],
      },
    ],
  ])('by %s with %j has a total only for pages by limit and offset', async (name, sent, from) => {
    const { reads } = await ask(name, sent)
    expect(reads).toEqual([expect.objectContaining({ type: name.split('.')[0], from })])
  })

  it.each([
    ['a person', person(), 'ann'],
    ['a client of the same id', client(), null],
  ])('for %s, to tell what is owned: %j (contract, section 3)', async (_, principal, viewer) => {
    const { reads } = await ask('articles.list', { principal })
    expect(reads).toEqual([expect.objectContaining({ viewer })])
  })
})

describe('an operation with a rule of its own (contract, section 1)', () => {
  it('has the status and the headers that the rule says', async () => {
    const headers = [
      ['Link', '</a>'],
      ['Link', '</b>'],
    ] as const
    const definition = {
      ...tags,
      operations: { ...tags.operations, get: { access: anyone, status: 203, headers } },
    }
    const answer = await ask('tags.get', { id: 't1', definition })
    expect([answer.status, answer.headers]).toEqual([203, headers])
  })
})
