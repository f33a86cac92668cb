import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ids } from '../db/second-domain/domain.ts'
import { data, startReadable } from './readable.ts'
import { identifier, startWritable } from './writable.ts'

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

  it('are kept by no cache where they show what is sensitive, and otherwise as the operation says (contract, section 9)', async () => {
    expect(await cacheControl('/articles/a01')).toBe('private, no-store')
    expect(await cacheControl('/articles')).toBe('private, no-store')
    expect(await cacheControl('/articles?fields[articles]=title')).toBe('private, no-cache')
    expect(await cacheControl('/articles/a01', { as: 'bob' })).toBe('private, no-cache')
    expect(await cacheControl('/people')).toBe('public, max-age=5')
  })

  it('lead from 20 members to the rest, or to the whole of what is not paged (contract, section 7)', async () => {
    const { contributors } = (await get('/articles/a01')).document.data.relationships
    expect(contributors.data).toHaveLength(20)
    const more = await get(below(contributors.links.next))
    expect(more.document.data).toEqual([{ type: 'people', id: 'p21', meta: { part: 'EDITOR' } }])
    const { neighbours } = (await get('/tags/t01')).document.data.relationships
    expect(neighbours.data).toHaveLength(20)
    expect(neighbours.links.next).toBe('/root/tags/t01/relationships/neighbours')
  })
})

describe('a filter inherits the access of its attribute (contract, section 4)', () => {
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

describe('writes of other types', () => {
  let service: Awaited<ReturnType<typeof startWritable>>

  beforeEach(async () => {
    service = await startWritable()
  })

  it('create with every header that the operation adds, in one round trip, and show it as a read does', async () => {
    const attributes = { title: 'Made', handle: 'made', section: 'News', words: 7, notes: 'secret' }
    const relationships = {
      author: { data: identifier('people', 'p02') },
      contributors: { data: [identifier('people', 'p01', { part: 'REVIEWER' })] },
      tags: { data: [identifier('tags', 't01'), identifier('tags', 't02')] },
    }
    const body = { data: { type: 'articles', attributes, relationships } }
    const { status, headers, document } = await service.post('/articles', body)
    expect(service.roundTrips).toHaveLength(1)
    const { id } = document.data
    expect([status, headers.get('Location')]).toEqual([201, `/root/articles/${id}`])
    expect(headers.get('Link')).toBe('</first>; rel="first", </second>; rel="second"')
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(document.data).toMatchObject({ attributes, relationships })
    expect((await service.get(`/articles/${id}`)).document).toEqual(document)
  })
})
