import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { planRead } from '../../../../src/jsonapi/run/plan.ts'
import type { Read } from '../../../../src/jsonapi/run/store.ts'
import { keyOf } from '../../../support/linkage.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { people } from '../../db/second-domain/people.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { tags } from '../../db/second-domain/tags.ts'
import { client, person, requestTo } from '../request/requests.ts'
import { specOf } from './readers.ts'
import { ask } from './reading.ts'

const reader = () => person('articles.read')
const relationshipsAlongside = ({ alongside }: Read) =>
  alongside.map(({ relationship }) => relationship)

describe('what is included (contract, sections 4, 6 and 8)', () => {
  it.each<[query: Readonly<Record<string, string>>, included: string[] | undefined]>([
    [{}, undefined],
    [{ include: '' }, []],
    [{ include: 'tags' }, ['tags/t1']],
    [{ include: 'author.favourite' }, ['people/p1', 'tags/t2']],
    [{ include: 'author,tags', 'fields[articles]': 'title' }, ['people/p1', 'tags/t1']],
    [{ include: 'author.favourite', 'fields[people]': 'born' }, ['people/p1', 'tags/t2']],
    [{ include: 'contributors' }, ['people/p2', 'people/p1']],
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

  it('comes along with a relationship from its members on', async () => {
    const query = { include: 'contributors.favourite' }
    const { document, reads } = await ask('articles.contributors.readMany', {
      id: 'a1',
      principal: reader(),
      query,
    })
    expect(document.data.map(keyOf)).toEqual(['people/p2', 'people/p1'])
    expect(document.included?.map(keyOf)).toEqual(['people/p2', 'people/p1', 'tags/t2'])
    expect(reads.map(relationshipsAlongside)).toEqual([['contributors'], []])
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

  it.each([
    ['its own, where nothing sensitive is shown', 'tags.get', { id: 't1' }, 'private, max-age=60'],
    [
      'no-store, where it is shown to the owner',
      'articles.get',
      { id: 'a1', principal: reader() },
      'private, no-store',
    ],
    [
      'no-store, where it is shown beside what is included',
      'articles.get',
      { id: 'a1', principal: reader(), query: { include: 'author' } },
      'private, no-store',
    ],
    [
      'no-store, where one of many shows it',
      'articles.list',
      { principal: reader() },
      'private, no-store',
    ],
    [
      'its own, where the resource is not owned',
      'articles.get',
      { id: 'a2', principal: reader() },
      'private, no-cache',
    ],
    [
      'its own, where it is not asked for',
      'articles.get',
      { id: 'a1', principal: reader(), query: { 'fields[articles]': 'title' } },
      'private, no-cache',
    ],
    [
      'no-store, where what is included shows it',
      'people.get',
      { id: 'p1', query: { include: 'favourite' }, registry: secretive() },
      'private, no-store',
    ],
    [
      'its own, where the same is not included',
      'people.get',
      { id: 'p1', registry: secretive() },
      'private, no-cache',
    ],
    [
      'no-store, where what is included by a relationship shows it',
      'people.favourite.readOne',
      { id: 'p1', query: { include: 'favourite' }, registry: secretive() },
      'private, no-store',
    ],
  ])('is %s: %s', async (_, name, sent, cacheControl) => {
    expect((await ask(name, sent)).cacheControl).toBe(cacheControl)
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

describe('a view of a type', () => {
  it('is made once a request, whatever fields were asked for', () => {
    const spec = specOf('articles.get', { 'fields[people]': 'born' })
    const { includedView } = planRead({ registry }, requestTo('articles.get', { id: 'a1' }), spec, {
      kind: 'ids',
      ids: ['a1'],
    })
    const follows = new Map()
    expect(includedView('people', follows)).toBe(includedView('people', follows))
    expect(includedView('people', follows)).not.toBe(
      includedView('people', new Map([['x', follows]])),
    )
  })
})
