import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { openApi } from '../../../src/openapi/document.ts'
import { readDescription } from '../../http/description/read-description.ts'
import { articles } from '../db/second-domain/articles.ts'
import { ids } from '../db/second-domain/domain.ts'
import { people } from '../db/second-domain/people.ts'
import { tags } from '../db/second-domain/tags.ts'
import { about, headers } from '../openapi/library.ts'
import { data, startReadable } from './readable.ts'

const { contributors } = articles.relationships
const { neighbours } = tags.relationships

/** The second domain with pages of other sizes. */
const registry = createRegistry([
  {
    ...articles,
    pagination: { by: 'offset', size: 2, max: 7 },
    relationships: {
      ...articles.relationships,
      contributors: { ...contributors, pagination: { by: 'cursor', size: 21, max: 41 } },
    },
  },
  { ...people, pagination: { by: 'cursor', size: 20, max: 30 } },
  {
    ...tags,
    relationships: { neighbours: { ...neighbours, pagination: { by: 'cursor', size: 5 } } },
  },
])

const { get } = await startReadable(registry)
const below = (path: string) => path.slice('/root'.length)
const priceIn = ({ headers }: Awaited<ReturnType<typeof get>>) =>
  headers.get('X-RateLimit-Requested-Tokens')

describe('the declared size of a page', () => {
  it('is that of a collection, of its links, and the bound of page[limit]', async () => {
    const answer = await get('/articles')
    expect(data(answer)).toEqual(ids('articles/a', 2))
    expect(answer.document.links.last).toBe('/root/articles?page%5Blimit%5D=2&page%5Boffset%5D=24')
    expect(data(await get('/articles?page[limit]=7'))).toHaveLength(7)
    const refused = await get('/articles?page[limit]=8')
    expect(refused.document.errors[0].detail).toContain('at most 7')
  })

  it('is that of a relationship, at its price; page[limit] is for its related resources', async () => {
    const path = '/articles/a01/relationships/contributors'
    const linkage = await get(path)
    expect(data(linkage)).toHaveLength(21)
    expect(linkage.document.links.next).toBeNull()
    expect(priceIn(linkage)).toBe('2')
    expect((await get(`${path}?page[limit]=1`)).status).toBe(400)
    const related = await get('/articles/a01/contributors?page[limit]=41')
    expect(data(related)).toHaveLength(21)
    expect(priceIn(related)).toBe('3')
    expect((await get('/articles/a01/contributors?page[limit]=42')).status).toBe(400)
  })

  it('is that of a relationship in memory, also where a resource object leads to the rest', async () => {
    const sizes: number[] = []
    let next = '/root/tags/t01/relationships/neighbours'
    while (next) {
      const page = await get(below(next))
      sizes.push(page.document.data.length)
      next = page.document.links.next
    }
    expect(sizes).toEqual([5, 5, 5, 5, 4])
    const { document } = await get('/tags/t01')
    const { links } = document.data.relationships.neighbours
    expect(data(await get(below(links.next)))).toEqual([
      'tags/t22',
      'tags/t23',
      'tags/t24',
      'tags/t25',
    ])
  })

  it('makes page[limit] a parameter of a collection that pages by cursor alone', async () => {
    expect(data(await get('/people'))).toHaveLength(20)
    const answer = await get('/people?page[limit]=24')
    expect(data(answer)).toHaveLength(24)
    expect(data(await get(below(answer.document.links.next)))).toEqual(['people/p25'])
    expect((await get('/people?page[limit]=31')).status).toBe(400)
  })

  it('is described for each operation', () => {
    const addresses = { server: 'https://a.example', authUrl: 'https://b.example' }
    const { operationOf } = readDescription(openApi(registry, about, { ...addresses, headers }))
    const limitOf = (id: string) =>
      operationOf(id).parameters.find(({ name }) => name === 'page[limit]')?.schema
    expect(limitOf('articles.list')).toMatchObject({ default: 2, maximum: 7 })
    expect(limitOf('people.list')).toMatchObject({ default: 20, maximum: 30 })
    expect(limitOf('articles.contributors.relatedMany')).toMatchObject({ default: 21, maximum: 41 })
    expect(limitOf('articles.contributors.readMany')).toBeUndefined()
    expect(operationOf('tags.neighbours.readMany').description).toContain('Pages of 5 follow')
  })
})
