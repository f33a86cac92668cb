import { expect, it, vi } from 'vitest'
import { createRegistry, type Registry } from '../../../src/jsonapi/declare/registry.ts'
import type { ToMany } from '../../../src/jsonapi/declare/resource.ts'
import { articles } from '../db/second-domain/articles.ts'
import { article, insert } from '../db/second-domain/domain.ts'
import { people } from '../db/second-domain/people.ts'
import { tags } from '../db/second-domain/tags.ts'
import { startService } from './service.ts'

// What the types of the service do not show.

/** The second domain with an article. */
async function stocked(registry?: Registry) {
  const service = await startService(undefined, registry && { registry })
  await insert(service.d1, 'articles', article('a1'))
  service.roundTrips.length = 0
  return service
}

it('a filter inherits the access of its attribute, and tells nobody else whether something is stored, in no part of answer and log', async () => {
  const { get, roundTrips, failures } = await stocked()
  const query = 'filter[handle]=handle-a1&sort=title&page[limit]=1'
  const reply = await get(`/articles?${query}`, { as: 'client' })
  expect(reply.document.errors).toMatchObject([
    {
      code: 'INVALID_ENUM_VALUE',
      detail: 'This caller may not filter by handle. Allowed: id, section.',
      source: { parameter: 'filter[handle]' },
    },
  ])
  expect(roundTrips).toEqual([])
  const logs = [vi.mocked(console.log).mock.calls, failures.mock.calls]
  expect(JSON.stringify([[...reply.headers], reply.document, logs])).not.toContain('handle-a1')
})

it.each<[as: string, status: number]>([
  ['ann', 204],
  ['admin', 204],
  ['bob', 403],
  ['reader', 403],
  ['client', 403],
])(
  'of the alternatives of an access rule one is enough, whole, for a person: %s',
  async (as, status) => {
    const { patch } = await stocked()
    const data = { type: 'articles', id: 'a1', attributes: { words: 1 } }
    expect((await patch('/articles/a1', { data }, { as })).status).toBe(status)
  },
)

it('a create has every header that the operation adds, and shows the resource as a read does', async () => {
  const { post, get, roundTrips } = await stocked()
  const attributes = { title: 'Made', handle: 'made', section: 'News', words: 7, notes: 'secret' }
  const made = await post('/articles', { data: { type: 'articles', attributes } })
  expect(roundTrips).toHaveLength(1)
  const { id } = made.document.data
  expect([made.status, made.headers.get('Location')]).toEqual([201, `/root/articles/${id}`])
  expect(made.headers.get('Link')).toBe('</first>; rel="first", </second>; rel="second"')
  expect((await get(`/articles/${id}`)).document).toEqual(made.document)
})

it('the declared size of a page is its default, its bound and its price', async () => {
  const { contributors } = articles.relationships
  const pages = { by: 'cursor', size: 21, max: 41 } as const
  const relationships = {
    ...articles.relationships,
    contributors: { ...(contributors as ToMany), pagination: pages },
  }
  const pagination = { by: 'offset', size: 2, max: 7 } as const
  const registry = createRegistry([{ ...articles, pagination, relationships }, people, tags])
  const { get } = await stocked(registry)
  const first = await get('/articles')
  expect(first.document.links.first).toBe('/root/articles?page%5Blimit%5D=2')
  const priceOf = async (path: string) => {
    const { status, headers } = await get(path)
    return status === 200 ? headers.get('X-RateLimit-Requested-Tokens') : status
  }
  expect(await priceOf('/articles?page[limit]=7')).toBe('1')
  expect(await priceOf('/articles?page[limit]=8')).toBe(400)
  expect(await priceOf('/articles/a1/relationships/contributors')).toBe('2')
  expect(await priceOf('/articles/a1/relationships/contributors?page[limit]=1')).toBe(400)
  expect(await priceOf('/articles/a1/contributors?page[limit]=41')).toBe('3')
})
