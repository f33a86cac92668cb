import { describe, expect, it } from 'vitest'
import { ids } from '../db/second-domain/domain.ts'
import { data, included, names, startReadable } from './readable.ts'

const { get } = await startReadable()

describe('readOne', () => {
  it('gives the identifier, or null', async () => {
    expect((await get('/articles/a01/relationships/author')).document).toEqual({
      jsonapi: { version: '1.1' },
      links: {
        self: '/root/articles/a01/relationships/author',
        related: '/root/articles/a01/author',
      },
      data: { type: 'people', id: 'p01' },
    })
    expect((await get('/articles/a02/relationships/author')).document.data).toBeNull()
  })

  it('includes the related resource, of a type in the database and of one in memory', async () => {
    expect(included(await get('/articles/a01/relationships/author?include=author'))).toEqual([
      'people/p01',
    ])
    expect(included(await get('/people/p01/relationships/favourite?include=favourite'))).toEqual([
      'tags/t02',
    ])
  })

  it('answers 404 for the linkage of what does not exist', async () => {
    expect((await get('/articles/nothing/relationships/author')).status).toBe(404)
  })
})

describe('readMany', () => {
  it('pages by cursor, with meta, and includes the members of the page only', async () => {
    const path = '/articles/a01/relationships/contributors'
    const first = await get(`${path}?include=contributors`)
    expect(first.document.data[0]).toEqual({ type: 'people', id: 'p01', meta: { part: 'EDITOR' } })
    expect(included(first)).toEqual(ids('people/p', 20))
    const second = await get(first.document.links.next.slice('/root'.length))
    expect(data(second)).toEqual(['people/p21'])
    expect(included(second)).toEqual(['people/p21'])
  })

  it('returns every member where the relationship is not paged', async () => {
    const { document } = await get('/tags/t01/relationships/neighbours')
    expect(document.data).toHaveLength(24)
    expect(document.data[0]).toEqual({ type: 'tags', id: 't02', meta: { weight: 'HEAVY' } })
    expect(document.links).toEqual({
      self: '/root/tags/t01/relationships/neighbours',
      related: '/root/tags/t01/neighbours',
    })
  })

  it('shows a resource that its own linkage leads back to in full', async () => {
    const { document } = await get('/people/p01/relationships/follows?include=follows.follows')
    expect(names(document.included).toSorted()).toEqual(['people/p01', 'people/p02', 'people/p21'])
    const [self] = document.included.filter(({ id }: { id: string }) => id === 'p01')
    expect(self.attributes).toEqual({ nickname: 'Nick p01', born: 1999 })
    expect(self.relationships.follows.data).toHaveLength(2)
  })

  it('is refused to a token without the scope of the relationship', async () => {
    const { status, headers } = await get('/articles/a01/relationships/contributors', {
      as: 'client',
    })
    expect(status).toBe(403)
    expect(headers.get('WWW-Authenticate')).toContain('scope="articles.read"')
  })
})
