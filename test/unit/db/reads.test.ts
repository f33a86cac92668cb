import { describe, expect, it } from 'vitest'
import type { From } from '../../../src/jsonapi/run/port.ts'
import { maxIncluded } from '../../../src/jsonapi/run/views.ts'
import type { Database } from './d1.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, openDomain, person } from './second-domain/domain.ts'

const oneArticle: From = { kind: 'ids', ids: ['a'] }

const names = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}.${at}`)
const insertPeople = (d1: Database, all: readonly string[]) =>
  insert(d1, 'people', ...all.map((id) => person(id)))
const contribute = (d1: Database, article: string, all: readonly string[]) =>
  insert(d1, 'contributions', ...all.map((person) => ({ article, person, part: 'EDITOR' })))
const follow = (d1: Database, follower: string, all: readonly string[]) =>
  insert(d1, 'follows', ...all.map((followed) => ({ follower, followed })))

describe('a read from the database', () => {
  it('has a target of two relationships in one round trip, beside that of reference data, with what is followed from each', async () => {
    const { d1, store, roundTrips } = openDomain()
    await insertPeople(d1, ['p'])
    await insert(d1, 'articles', article('a', { author: 'p' }))
    await contribute(d1, 'a', ['p'])
    const include = 'author.favourite,contributors.follows'
    const { included } = await readAs(store, 'articles.get', oneArticle, { include })
    expect(included.map(({ record }) => record)).toMatchObject([{ type: 'people', id: 'p' }])
    expect(roundTrips).toHaveLength(2)
  })

  it('refuses an include that leads to more than an isolate should hold, before it is read', async () => {
    // One article with 20 contributors, who follow 20 people each, who follow 580 in all.
    const first = names('p', 20)
    const second = first.flatMap((id) => names(id, 20))
    const third = names('q', maxIncluded - first.length - second.length)
    const { d1, store, roundTrips } = openDomain()
    await insertPeople(d1, [...first, ...second, ...third, 'one more'])
    await insert(d1, 'articles', article('a'))
    await contribute(d1, 'a', first)
    for (const id of first) {
      await follow(d1, id, names(id, 20))
    }
    for (const [at, id] of second.entries()) {
      await follow(d1, id, third.slice(at * 2, at * 2 + 2))
    }
    const include = 'contributors.follows.follows'
    const { included } = await readAs(store, 'articles.get', oneArticle, { include })
    expect(included).toHaveLength(maxIncluded)
    await follow(d1, second.at(-1) ?? '', ['one more'])
    const before = roundTrips.length
    await expect(readAs(store, 'articles.get', oneArticle, { include })).rejects.toMatchObject({
      status: 400,
      problems: [{ code: 'VALUE_INVALID_FORMAT', source: { parameter: 'include' } }],
    })
    expect(roundTrips.length - before).toBe(2)
  })

  it('counts the first level of a page before it is read, unless all that it can have is allowed', async () => {
    const { d1, store, roundTrips } = openDomain()
    const articles = names('a', 51)
    await insert(d1, 'articles', ...articles.map((id) => article(id)))
    for (const id of articles) {
      await insertPeople(d1, names(id, 20))
      await contribute(d1, id, names(id, 20))
    }
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
