import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import type { Read } from '../../../../src/jsonapi/run/store.ts'
import { keyOf } from '../../../support/linkage.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { people } from '../../db/second-domain/people.ts'
import { tags } from '../../db/second-domain/tags.ts'
import { client, person } from '../request/requests.ts'
import { ask } from './reading.ts'

const reader = () => person('articles.read')
const relationshipsAlongside = ({ alongside }: Read) =>
  alongside.map(({ relationship }) => relationship)

describe('what is included (contract, sections 4, 6 and 8)', () => {
  it.each<[query: Readonly<Record<string, string>>, included: string[] | undefined]>([
    [{}, undefined],
    [{ include: '' }, []],
    [{ include: 'author,tags', 'fields[articles]': 'title' }, ['people/p1', 'tags/t1']],
    [{ include: 'author.favourite', 'fields[people]': 'born' }, ['people/p1', 'tags/t2']],
  ])('for %j is %j', async (query, included) => {
    const { document } = await ask('articles.get', { id: 'a1', principal: reader(), query })
    expect(document.included?.map(keyOf)).toEqual(included)
  })

  it('is shown as the fields of its type say, and so are the primary data', async () => {
    const query = { include: 'author', 'fields[articles]': 'title', 'fields[people]': 'born' }
    const { document } = await ask('articles.get', { id: 'a1', query })
    const [author] = document.included ?? []
    expect([document.data.attributes, author?.attributes]).toEqual([
      { title: 'One' },
      { born: 1980 },
    ])
    expect([document.data, author]).toEqual(
      Array(2).fill(expect.not.objectContaining({ relationships: expect.anything() })),
    )
  })

  it('is nothing of a relationship whose linkage is withheld, and nothing of it is read', async () => {
    const query = { include: 'contributors.favourite,tags' }
    const { document, reads } = await ask('articles.get', {
      id: 'a1',
      principal: client('articles.read'),
      query,
    })
    expect(document.included?.map(keyOf)).toEqual(['tags/t1'])
    expect(document.data.relationships.contributors).toEqual({
      links: {
        self: '/root/articles/a1/relationships/contributors',
        related: '/root/articles/a1/contributors',
      },
    })
    expect(reads.map(relationshipsAlongside)).toEqual([['tags']])
  })
})

describe('Cache-Control (contract, section 9)', () => {
  /** The second domain, but with secret labels of tags. */
  const secretive = () => {
    const label = { ...tags.attributes.label, sensitive: true } as const
    return createRegistry([
      articles,
      people,
      { ...tags, attributes: { ...tags.attributes, label } },
    ])
  }

  const titles = { 'fields[articles]': 'title' }
  const secret = { id: 'p1', registry: secretive() }
  const followed = { ...secret, query: { include: 'favourite' } }

  it.each([
    ['max-age=60', 'of what is not sensitive', 'tags.get', { id: 't1' }],
    ['no-store', 'where the owner is shown it', 'articles.get', { id: 'a1', principal: reader() }],
    ['no-store', 'where one of many shows it', 'articles.list', { principal: reader() }],
    ['no-cache', 'of what is not owned', 'articles.get', { id: 'a2', principal: reader() }],
    [
      'no-cache',
      'where fields leave it out',
      'articles.list',
      { principal: reader(), query: titles },
    ],
    ['no-store', 'where it is included', 'people.get', followed],
    ['no-cache', 'where it is not included', 'people.get', secret],
    ['no-store', 'where a relationship includes it', 'people.favourite.readOne', followed],
  ])('is %s %s: %s', async (policy, _, name, sent) => {
    expect((await ask(name, sent)).cacheControl).toBe(`private, ${policy}`)
  })

  it('is its own where a store hands over more of a resource than the relationship that is shown', async () => {
    const whole = {
      type: 'articles',
      id: 'a1',
      owned: true,
      attributes: { notes: 'secret' },
      linkage: {},
    }
    const answer = await ask('articles.author.readOne', {
      id: 'a1',
      principal: reader(),
      instead: { records: [whole] },
    })
    expect(answer.cacheControl).toBe('private, no-cache')
    expect(answer.body).not.toContain('secret')
  })
})
