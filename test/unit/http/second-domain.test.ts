import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { AccessRule } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { articles } from '../db/second-domain/articles.ts'
import { ids } from '../db/second-domain/domain.ts'
import { people } from '../db/second-domain/people.ts'
import { articles as tableColumns } from '../db/second-domain/tables.ts'
import { tags } from '../db/second-domain/tags.ts'
import { data, startReadable } from './readable.ts'
import { startService } from './service.ts'

// What the resource types of the service do not show: the same code serves whatever else can be declared.

const readable = await startReadable()
const { get } = readable

/** The path of a link, below the root. */
const below = (link: string) => link.slice('/root'.length)
const cacheControl = async (...args: Parameters<typeof get>) =>
  (await get(...args)).headers.get('Cache-Control')

describe('reads of other types', () => {
  it('return everything where the type is not paged, without links of pages and meta', async () => {
    for (const path of ['/tags', '/tags/t01/relationships/neighbours']) {
      const { document } = await get(path)
      expect(document.data).toHaveLength(path === '/tags' ? 25 : 24)
      expect(document.links).not.toHaveProperty('next')
      expect(document).not.toHaveProperty('meta')
    }
  })

  it('page in the order of a number', async () => {
    const first = await get('/people?sort=born')
    const second = await get(below(first.document.links.next))
    expect([...data(first), ...data(second)]).toEqual(ids('people/p', 25).reverse())
    expect(second.document.links.next).toBeNull()
    expect(second.document).not.toHaveProperty('meta')
  })

  it('are kept by no cache where they show what is sensitive, and otherwise as the operation says', async () => {
    expect(await cacheControl('/articles/a01')).toBe('private, no-store')
    expect(await cacheControl('/articles')).toBe('private, no-store')
    expect(await cacheControl('/articles?fields[articles]=title')).toBe('private, no-cache')
    expect(await cacheControl('/articles/a01', { as: 'bob' })).toBe('private, no-cache')
    expect(await cacheControl('/people')).toBe('public, max-age=5')
  })

  it('lead from 20 members to the rest, or to the whole of what is not paged', async () => {
    const { contributors } = (await get('/articles/a01')).document.data.relationships
    expect(contributors.data).toHaveLength(20)
    const more = await get(below(contributors.links.next))
    expect(more.document.data).toEqual([{ type: 'people', id: 'p21', meta: { part: 'EDITOR' } }])
    const { neighbours } = (await get('/tags/t01')).document.data.relationships
    expect(neighbours.data).toHaveLength(20)
    expect(neighbours.links.next).toBe('/root/tags/t01/relationships/neighbours')
  })
})

describe('a filter inherits the access of its attribute', () => {
  const refusal = {
    id: expect.any(String),
    status: '400',
    code: 'INVALID_ENUM_VALUE',
    title: 'Value is not one of the allowed values',
    detail: 'This caller may not filter by handle. Allowed: id, section.',
    source: { parameter: 'filter[handle]' },
  }

  it.each(['handle-a03', 'handle-a03&filter[id]=a03&sort=title&page[limit]=1'])(
    'and tells nobody else whether something is stored, in no part of answer and log: %s',
    async (query) => {
      const before = readable.roundTrips.length
      const reply = await get(`/articles?filter[handle]=${query}`, { as: 'client' })
      expect(reply.document).toEqual({ jsonapi: { version: '1.1' }, errors: [refusal] })
      expect(readable.roundTrips).toHaveLength(before)
      const logs = [vi.mocked(console.log).mock.calls, readable.failures.mock.calls]
      const said = JSON.stringify([[...reply.headers], reply.document, logs])
      expect(said).not.toContain('handle-a03')
    },
  )

  it('and is told beside all else: a sort, a cursor of another query, and whatever is wrong', async () => {
    const first = await get('/articles?sort=handle&page[limit]=1', { as: 'reader' })
    const cursor = first.document.meta['pagination.nextCursor']
    const query = `filter[handle]=x&sort=-handle&page[cursor]=${cursor}&include=nothing&a=%25%E4`
    const { document } = await get(`/articles?${query}`, { as: 'client' })
    expect(document.errors.map(({ code, source }: never) => [code, source])).toEqual([
      ['INVALID_ENUM_VALUE', { parameter: 'filter[handle]' }],
      ['VALUE_INVALID_FORMAT', { parameter: 'a' }],
      ['INVALID_ENUM_VALUE', { parameter: 'include' }],
      ['UNEXPECTED_PARAMETER', { parameter: 'a' }],
      ['VALUE_INVALID_FORMAT', { parameter: 'page[cursor]' }],
    ])
  })
})

describe('creates of other types', () => {
  const attributes = { title: 'Made', handle: 'made', section: 'News', words: 7, notes: 'secret' }
  const body = { data: { type: 'articles', attributes } }
  const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

  it('have every header that the operation adds, and show the resource as a read does', async () => {
    const { post, get, roundTrips } = await startService()
    const { status, headers, document } = await post('/articles', body)
    expect(roundTrips).toHaveLength(1)
    const { id } = document.data
    expect([status, headers.get('Location')]).toEqual([201, `/root/articles/${id}`])
    expect(headers.get('Link')).toBe('</first>; rel="first", </second>; rel="second"')
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect((await get(`/articles/${id}`)).document).toEqual(document)
  })

  it('with one key are those of each caller, and another request if members have another order', async () => {
    const { post } = await startService()
    const first = await post('/articles', body, keyed('k'))
    expect((await post('/articles', body, keyed('"k"'))).document).toEqual(first.document)
    const other = { data: { type: 'articles', attributes: { ...attributes, handle: 'other' } } }
    expect((await post('/articles', other, { as: 'bob', ...keyed('k') })).status).toBe(201)
    const turned = { data: { attributes, type: 'articles' } }
    expect((await post('/articles', turned, keyed('k'))).status).toBe(409)
    const stale = { headers: { 'Idempotency-Key': 'k', 'If-Match': '"r.d"' } }
    expect((await post('/articles', body, stale)).status).toBe(412)
  })

  it('tell the fault of a key beside all others', async () => {
    const { post } = await startService()
    const invalid = { data: { type: 'articles', attributes: { ...attributes, title: 1 } } }
    const { document } = await post('/articles?fields[articles]=x', invalid, keyed('a b'))
    expect(document.errors.map(({ source }: { source: object }) => source)).toEqual([
      { parameter: 'fields[articles]' },
      { header: 'Idempotency-Key' },
      { pointer: '/data/attributes/title' },
    ])
  })
})

describe('the declared size of a page', () => {
  const { contributors } = articles.relationships
  const registry = createRegistry([
    {
      ...articles,
      pagination: { by: 'offset', size: 2, max: 7 },
      relationships: {
        ...articles.relationships,
        contributors: { ...contributors, pagination: { by: 'cursor', size: 21, max: 41 } },
      },
    },
    people,
    tags,
  ])

  it('is that of a collection, of its links, and the bound of page[limit]', async () => {
    const { get } = await startReadable(registry)
    const { document } = await get('/articles')
    expect(document.data).toHaveLength(2)
    expect(document.links.last).toBe('/root/articles?page%5Blimit%5D=2&page%5Boffset%5D=24')
    expect((await get('/articles?page[limit]=7')).document.data).toHaveLength(7)
    expect((await get('/articles?page[limit]=8')).status).toBe(400)
  })

  it('is that of a relationship, at its price; page[limit] is for its related resources', async () => {
    const { get } = await startReadable(registry)
    const linkage = await get('/articles/a01/relationships/contributors')
    expect(linkage.document.data).toHaveLength(21)
    expect(linkage.headers.get('X-RateLimit-Requested-Tokens')).toBe('2')
    expect((await get('/articles/a01/relationships/contributors?page[limit]=1')).status).toBe(400)
    const related = await get('/articles/a01/contributors?page[limit]=41')
    expect(related.document.data).toHaveLength(21)
    expect(related.headers.get('X-RateLimit-Requested-Tokens')).toBe('3')
  })
})

describe('who may not read an attribute of what a relationship leads to', () => {
  const access: AccessRule = [{ scopes: ['people.write'] }]
  const registry = createRegistry([
    articles,
    {
      ...people,
      attributes: { ...people.attributes, born: { ...people.attributes.born, access } },
    },
    { ...tags, attributes: { ...tags.attributes, kind: { ...tags.attributes.kind, access } } },
  ])

  it.each(['/articles/a1/tags', '/tags/t1/relationships/neighbours'])(
    'may not filter by it: %s',
    async (path) => {
      const { get, roundTrips } = await startService(undefined, { registry })
      const { document } = await get(`${path}?filter[kind]=plain`, { as: 'reader' })
      expect(document.errors).toMatchObject([{ source: { parameter: 'filter[kind]' } }])
      expect(roundTrips).toEqual([])
    },
  )

  it.each(['/people/p01/follows', '/articles/a01/relationships/contributors'])(
    'gets the order of ids if the sort names it: %s',
    async (path) => {
      const { get } = await startReadable(registry)
      const { document } = await get(path, { as: 'reader' })
      expect(document.data.length).toBeGreaterThan(1)
      const sorted = await get(`${path}?sort=born`, { as: 'reader' })
      expect(sorted.document.data).toEqual(document.data)
    },
  )
})

it('an attribute without a value is first in a sort, and no filter finds it', async () => {
  const { title, handle, section } = articles.attributes
  const { layout, sectionFold } = tableColumns
  const motto = {
    schema: () => z.nullable(z.string().check(z.minLength(1))),
    stored: { column: layout, key: sectionFold },
    access: articles.attributes.title.access,
    sortable: true,
    filter: () => z.string(),
  } as const
  const plain = {
    ...section,
    stored: { column: tableColumns.section },
    sortable: undefined,
  } as never
  const attributes = { title, handle, section: plain, motto }
  const registry = createRegistry([{ ...articles, attributes }, people, tags])
  const { get, post } = await startService(undefined, { registry })
  // A combining mark has no letters.
  for (const motto of ['Bravo', undefined, 'alpha', null, '\u0301']) {
    const title = `Title ${motto}`
    const sent = { title, handle: title, section: 'News', motto }
    expect((await post('/articles', { data: { type: 'articles', attributes: sent } })).status).toBe(
      201,
    )
  }
  const mottos = async (query: string) =>
    (await get(`/articles?${query}`)).document.data.map(
      ({ attributes }: { attributes: { motto?: string } }) => attributes.motto,
    )
  expect((await mottos('sort=motto')).slice(-2)).toEqual(['alpha', 'Bravo'])
  expect((await mottos('sort=-motto')).slice(0, 2)).toEqual(['Bravo', 'alpha'])
  expect(await mottos(`filter[motto]=${encodeURIComponent('\u0301')}`)).toEqual(['\u0301'])
  expect(await mottos('filter[motto]=')).toEqual([])
})
