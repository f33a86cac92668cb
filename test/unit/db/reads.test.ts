import { describe, expect, it } from 'vitest'
import type { From, ResourceRecord } from '../../../src/jsonapi/run/port.ts'
import { maxIncluded } from '../../../src/jsonapi/run/views.ts'
import type { Database } from './d1.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, insertAll, openDomain, person } from './second-domain/domain.ts'

/** A resource: its links, by relationship. */
interface Linked {
  readonly type: string
  readonly id: string
  readonly links: Readonly<Record<string, readonly string[]>>
}

/** Writes resources into the tables. */
async function insertWorld(d1: Database, world: readonly Linked[]): Promise<void> {
  const of = (type: string) => world.filter((resource) => resource.type === type)
  const pairs = (type: string, name: string) =>
    of(type).flatMap(({ id, links }) => (links[name] ?? []).map((target) => [id, target] as const))
  const contributors = pairs('articles', 'contributors')
  const contributions = contributors.map(([article, person]) => ({
    article,
    person,
    part: 'EDITOR',
  }))
  await insertAll(d1, [
    ['people', of('people').map(({ id }) => person(id))],
    [
      'articles',
      of('articles').map(({ id, links }) => article(id, { author: links.author?.[0] ?? null })),
    ],
    ['follows', pairs('people', 'follows').map(([follower, followed]) => ({ follower, followed }))],
    ['contributions', contributions],
  ])
}

const nameOf = ({ type, id }: ResourceRecord) => `${type}/${id}`

const oneArticle: From = { kind: 'ids', ids: ['a'] }

const names = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}.${at}`)

describe('a read from the database', () => {
  it('has a target of two relationships in one round trip, beside that of reference data, with what is followed from each', async () => {
    const { d1, store, roundTrips } = openDomain()
    const links = { author: ['p'], contributors: ['p'] }
    await insertWorld(d1, [
      { type: 'articles', id: 'a', links },
      { type: 'people', id: 'p', links: {} },
    ])
    const include = 'author.favourite,contributors.follows'
    const { included } = await readAs(store, 'articles.get', oneArticle, { include })
    expect(included.map(({ record }) => nameOf(record))).toEqual(['people/p'])
    expect(roundTrips).toHaveLength(2)
  })

  it('refuses an include that leads to more than an isolate should hold, before it is read', async () => {
    // One article with 20 contributors, who follow 20 people each, who follow 580 in all.
    const first = names('p', 20)
    const second = first.flatMap((id) => names(id, 20))
    const third = names('q', maxIncluded - first.length - second.length)
    const following = (id: string, follows: readonly string[]): Linked => ({
      type: 'people',
      id,
      links: { follows },
    })
    const { d1, store, roundTrips } = openDomain()
    await insertWorld(d1, [
      { type: 'articles', id: 'a', links: { contributors: first } },
      ...first.map((id) => following(id, names(id, 20))),
      ...second.map((id, at) => following(id, third.slice(at * 2, at * 2 + 2))),
      ...third.map((id) => following(id, [])),
    ])
    const include = 'contributors.follows.follows'
    const { included } = await readAs(store, 'articles.get', oneArticle, { include })
    expect(included).toHaveLength(maxIncluded)
    await insertWorld(d1, [following('one more', [])])
    await insert(d1, 'follows', { follower: second.at(-1) ?? '', followed: 'one more' })
    const before = roundTrips.length
    await expect(readAs(store, 'articles.get', oneArticle, { include })).rejects.toMatchObject({
      status: 400,
      problems: [{ code: 'VALUE_INVALID_FORMAT', source: { parameter: 'include' } }],
    })
    expect(roundTrips.length - before).toBe(2)
  })

  it('counts the first level of a page before it is read, unless all that it can have is allowed', async () => {
    const { d1, store, roundTrips } = openDomain()
    const of = (id: string) => names(id, 20)
    const articles = names('a', 51)
    await insertWorld(d1, [
      ...articles.map((id) => ({ type: 'articles', id, links: { contributors: of(id) } })),
      ...articles.flatMap(of).map((id) => ({ type: 'people', id, links: {} })),
    ])
    const page = (limit: number) =>
      readAs(store, 'articles.list', { ...wholePage, limit }, { include: 'contributors' })
    expect((await page(50)).included).toHaveLength(maxIncluded)
    expect(roundTrips).toHaveLength(1)
    await expect(page(51)).rejects.toMatchObject({ status: 400 })
    expect(roundTrips).toHaveLength(2)
    await d1.prepare('DELETE FROM contributions WHERE article = ?1').bind(articles[7]).raw()
    expect((await page(51)).included).toHaveLength(maxIncluded)
    expect(roundTrips).toHaveLength(4)
  })
})
