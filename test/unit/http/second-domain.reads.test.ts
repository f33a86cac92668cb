import { describe, expect, it } from 'vitest'
import { ids } from '../db/second-domain/domain.ts'
import { data, included, startReadable } from './readable.ts'

const service = await startReadable()
const { get } = service

describe('list (contract, sections 1 and 7)', () => {
  it('pages by limit and offset where the type says so, with all five links and the total', async () => {
    const { status, document } = await get('/articles?page[limit]=10&page[offset]=10')
    expect(status).toBe(200)
    expect(document.data).toHaveLength(10)
    expect(document.meta).toEqual({
      'pagination.totalItems': 25,
      'pagination.nextCursor': expect.stringMatching(/^[0-9A-Za-z]+$/),
    })
    expect(document.links).toEqual({
      self: '/root/articles?page%5Blimit%5D=10&page%5Boffset%5D=10',
      first: '/root/articles?page%5Blimit%5D=10',
      prev: '/root/articles?page%5Blimit%5D=10',
      next: '/root/articles?page%5Blimit%5D=10&page%5Boffset%5D=20',
      last: '/root/articles?page%5Blimit%5D=10&page%5Boffset%5D=20',
    })
  })

  it('pages by cursor where the type says so: forward only, 20 a page', async () => {
    const first = await get('/people')
    expect(first.document.data).toHaveLength(20)
    expect(first.document.links).toMatchObject({ first: '/root/people', prev: null, last: null })
    const second = await get(first.document.links.next.slice('/root'.length))
    expect(data(second)).toEqual(ids('people/p', 25).slice(20))
    expect(second.document.links.next).toBeNull()
    expect(second.document).not.toHaveProperty('meta')
  })

  it('pages in the order of a number', async () => {
    const first = await get('/people?sort=born')
    const second = await get(first.document.links.next.slice('/root'.length))
    expect([...data(first), ...data(second)]).toEqual(ids('people/p', 25).reverse())
  })

  it('returns everything where the type is not paged, without pagination links and meta', async () => {
    const { document } = await get('/tags')
    expect(document.data).toHaveLength(25)
    expect(document.links).toEqual({ self: '/root/tags' })
    expect(document).not.toHaveProperty('meta')
  })

  it('takes no page parameter where the type is not paged', async () => {
    const { status, document } = await get('/tags?page[cursor]=0')
    expect(status).toBe(400)
    expect(document.errors[0]).toMatchObject({ code: 'UNEXPECTED_PARAMETER' })
  })

  it('filters by what is not the id, of types in the database and of types in memory', async () => {
    expect(data(await get('/articles?filter[section]=SPORT'))).toEqual(['articles/a01'])
    expect(data(await get('/tags?filter[kind]=rare'))).toEqual(['tags/t01', 'tags/t02'])
    expect(data(await get('/tags?filter[kind]=rare&filter[id]=t02,t03'))).toEqual(['tags/t02'])
  })

  it('counts what a filter leaves', async () => {
    const { document } = await get('/articles?filter[section]=news&page[limit]=5')
    expect(document.meta['pagination.totalItems']).toBe(24)
  })

  it('lets nobody sort by what they cannot read, and names what is left', async () => {
    expect((await get('/articles?sort=-handle', { as: 'reader' })).status).toBe(200)
    const { status, document } = await get('/articles?sort=handle,title', { as: 'client' })
    expect(status).toBe(400)
    expect(document.errors).toMatchObject([
      { source: { parameter: 'sort' }, detail: expect.stringContaining('Allowed: title, section') },
    ])
  })

  it('includes related resources of the page, each once', async () => {
    const reply = await get('/people?include=favourite,follows&filter[id]=p01,p02')
    expect(data(reply)).toEqual(['people/p01', 'people/p02'])
    expect(included(reply).toSorted()).toEqual(['people/p21', 'tags/t02'])
  })
})

describe('get', () => {
  it('shows what the caller may see, and says nothing of the rest', async () => {
    const own = await get('/articles/a01')
    expect(own.document.data.attributes).toMatchObject({
      handle: 'Handle-a01',
      notes: 'for my eyes',
      layout: { columns: 2, budget: 'low', blocks: [{ kind: 'TEXT', body: 'x' }] },
    })
    const foreign = await get('/articles/a01', { as: 'client' })
    expect(foreign.document.data.attributes).toEqual({
      title: 'Title a01',
      section: 'Sport',
      layout: { columns: 2, blocks: [{ kind: 'TEXT', body: 'x' }] },
    })
    const { contributors, author } = foreign.document.data.relationships
    expect(contributors).toEqual({
      links: {
        self: '/root/articles/a01/relationships/contributors',
        related: '/root/articles/a01/contributors',
      },
    })
    expect(author.data).toEqual({ type: 'people', id: 'p01' })
  })

  it('keeps an answer with a sensitive value out of every cache, and only that', async () => {
    expect((await get('/articles/a01')).headers.get('Cache-Control')).toBe('private, no-store')
    expect((await get('/articles/a02')).headers.get('Cache-Control')).toBe('private, no-cache')
    expect((await get('/articles')).headers.get('Cache-Control')).toBe('private, no-store')
    const titles = await get('/articles?fields[articles]=title')
    expect(titles.headers.get('Cache-Control')).toBe('private, no-cache')
    expect((await get('/articles/a01', { as: 'bob' })).headers.get('Cache-Control')).toBe(
      'private, no-cache',
    )
    expect((await get('/tags/t01')).headers.get('Cache-Control')).toBe('private, max-age=60')
  })

  it('never replaces the Cache-Control that the operation sets', async () => {
    expect((await get('/people')).headers.get('Cache-Control')).toBe('public, max-age=5')
  })

  it('carries 20 members of a relationship and the way to more (contract, section 7)', async () => {
    const { contributors } = (await get('/articles/a01')).document.data.relationships
    expect(contributors.data).toHaveLength(20)
    const more = await get(contributors.links.next.slice('/root'.length))
    expect(more.document.data).toEqual([{ type: 'people', id: 'p21', meta: { part: 'EDITOR' } }])
  })

  it('points to the whole of a relationship that is not paged', async () => {
    const { neighbours } = (await get('/tags/t01')).document.data.relationships
    expect(neighbours.data).toHaveLength(20)
    expect(neighbours.links.next).toBe('/root/tags/t01/relationships/neighbours')
  })

  it('reaches into objects with dotted fields', async () => {
    const { data } = (await get('/articles/a01?fields[articles]=layout.blocks.kind,author'))
      .document
    expect(data.attributes).toEqual({ layout: { blocks: [{ kind: 'TEXT' }] } })
    expect(Object.keys(data.relationships)).toEqual(['author'])
  })

  it('answers 404 for what does not exist', async () => {
    const { status, document } = await get('/articles/nothing')
    expect(status).toBe(404)
    expect(document.errors).toMatchObject([{ code: 'NOT_FOUND', source: { path: 'id' } }])
  })

  it('includes three levels deep, and follows nothing that the caller may not see', async () => {
    const reply = await get('/articles/a01?include=author.follows.favourite,contributors')
    expect(new Set(included(reply))).toEqual(new Set([...ids('people/p', 20), 'tags/t02']))
    const client = await get('/articles/a01?include=author,contributors', { as: 'client' })
    expect(included(client)).toEqual(['people/p01'])
  })
})

describe('what no operation answers (contract, section 1)', () => {
  it('is 404 where the shape of the path takes the method, but the type does not', async () => {
    expect((await service.post('/tags', { data: { type: 'tags' } })).status).toBe(404)
    expect((await service.remove('/tags/t01')).status).toBe(404)
    expect((await get('/nothing')).status).toBe(404)
  })

  it('is 405 with Allow where the shape never takes the method', async () => {
    const { status, headers } = await service.remove('/articles')
    expect(status).toBe(405)
    expect(headers.get('Allow')).toBe('GET, HEAD, POST, OPTIONS')
  })
})
