import { describe, expect, it } from 'vitest'
import type { From } from '../../../src/jsonapi/run/port.ts'
import { maxIncluded } from '../../../src/jsonapi/run/views.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insertAll, openDomain, person } from './second-domain/domain.ts'

const oneArticle: From = { kind: 'ids', ids: ['a'] }

const names = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}.${at}`)
const people = (...all: readonly string[]) => ['people', all.map((id) => person(id))] as const
const contributions = (article: string, all: readonly string[]) =>
  ['contributions', all.map((person) => ({ article, person, part: 'EDITOR' }))] as const
const follows = (follower: string, all: readonly string[]) =>
  ['follows', all.map((followed) => ({ follower, followed }))] as const

describe('a read from the database', () => {
  it('has a target of two relationships in one round trip, beside that of reference data, with what is followed from each', async () => {
    const { d1, store, roundTrips } = openDomain()
    const articles = ['articles', [article('a', { author: 'p' })]] as const
    await insertAll(d1, [people('p'), articles, contributions('a', ['p'])])
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
    await insertAll(d1, [
      people(...first, ...second, ...third, 'one more'),
      ['articles', [article('a')]],
      contributions('a', first),
      ...first.map((id) => follows(id, names(id, 20))),
      ...second.map((id, at) => follows(id, third.slice(at * 2, at * 2 + 2))),
    ])
    const include = 'contributors.follows.follows'
    const { included } = await readAs(store, 'articles.get', oneArticle, { include })
    expect(included).toHaveLength(maxIncluded)
    await insertAll(d1, [follows(second.at(-1) ?? '', ['one more'])])
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
    await insertAll(d1, [
      people(...articles.flatMap((id) => names(id, 20))),
      ['articles', articles.map((id) => article(id))],
      ...articles.map((id) => contributions(id, names(id, 20))),
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
