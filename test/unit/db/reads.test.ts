import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Database } from '../../../src/db/statement.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import type { Graph, Included } from '../../../src/jsonapi/run/plan.ts'
import type { From, ResourceRecord } from '../../../src/jsonapi/run/store.ts'
import { memoryStore, type Stored } from '../jsonapi/run/memory-store.ts'
import { includes, worldIds, worlds } from '../jsonapi/worlds.ts'
import { runs } from '../runs.ts'
import { readAs, shownLinkage, wholePage } from './reading.ts'
import { articles } from './second-domain/articles.ts'
import { article, ids, insert, insertAll, openDomain, person, tag } from './second-domain/domain.ts'
import { people } from './second-domain/people.ts'
import { contributions } from './second-domain/tables.ts'
import { tags } from './second-domain/tags.ts'

/** Writes a world into the tables. */
async function insertWorld(d1: Database, world: readonly Stored[]): Promise<void> {
  const of = (type: string) => world.filter((resource) => resource.type === type)
  const pairs = (type: string, name: string) =>
    of(type).flatMap(({ id, links }) =>
      (links?.[name] ?? []).map((target) => [id, target] as const),
    )
  const rows: Parameters<typeof insertAll>[1] = [
    ['tags', of('tags').map(({ id }) => tag(id))],
    [
      'people',
      of('people').map(({ id, links }) => person(id, { favourite: links?.favourite?.[0] ?? null })),
    ],
    [
      'articles',
      of('articles').map(({ id, links }) => article(id, { author: links?.author?.[0] ?? null })),
    ],
    [
      'tag_neighbours',
      pairs('tags', 'neighbours').map(([tag, neighbour]) => ({ tag, neighbour, weight: 'LIGHT' })),
    ],
    ['follows', pairs('people', 'follows').map(([follower, followed]) => ({ follower, followed }))],
    [
      'contributions',
      pairs('articles', 'contributors').map(([article, person]) => ({
        article,
        person,
        part: 'EDITOR',
      })),
    ],
    ['article_tags', pairs('articles', 'tags').map(([article, tag]) => ({ article, tag }))],
  ]
  await insertAll(d1, rows)
}

const nameOf = ({ type, id }: ResourceRecord) => `${type}/${id}`

/** What a graph holds: the ids of the primary data in order, and all linkage of what is included, in any order. */
function outline({ found, included }: Graph) {
  const members = (each: Included) =>
    shownLinkage(each).map(([name, { members }]) => [name, members.map(({ id }) => id)])
  return {
    records: found.records.map(nameOf),
    links: found.members.map(({ id }) => id),
    included: included
      .map((each) => [nameOf(each.record), members(each), [...each.follows.keys()]])
      .toSorted(),
  }
}

const from: fc.Arbitrary<[endpoint: string, From]> = fc.oneof(
  fc.constant<[string, From]>(['articles.list', wholePage]),
  fc
    .constantFrom(...worldIds, 'nothing')
    .map((id): [string, From] => ['articles.get', { kind: 'ids', ids: [id] }]),
)

describe('a read from the database', () => {
  it('finds what the same read finds in memory, whatever is related to what', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, includes, from, async (world, paths, [endpoint, from]) => {
        using domain = await openDomain()
        const { d1, store } = domain
        await insertWorld(d1, world)
        const query = { include: paths.join() }
        const expected = await readAs(memoryStore(world).store, endpoint, from, query)
        expect(outline(await readAs(store, endpoint, from, query))).toEqual(outline(expected))
      }),
      { numRuns: runs(100) },
    )
  })

  it('of a page brings along also the resource that stands first on the next one', async () => {
    const { d1, store, roundTrips } = await openDomain()
    await insert(d1, 'people', ...ids('p', 3).map((id) => person(id)))
    await insert(
      d1,
      'follows',
      { follower: 'p01', followed: 'p02' },
      { follower: 'p01', followed: 'p03' },
    )
    const page: From = { ...wholePage, limit: 2 }
    const { included } = await readAs(store, 'people.list', page, { include: 'follows' })
    expect(included.map(({ record }) => nameOf(record))).toEqual(['people/p03'])
    expect(roundTrips).toHaveLength(1)
  })

  it('brings along what the shown linkage points to, and no more (contract, section 7)', async () => {
    const { d1, store, roundTrips } = await openDomain()
    await insert(d1, 'people', ...ids('p', 25).map((id) => person(id)))
    await insert(d1, 'articles', article('a'))
    for (const person of ids('p', 25)) {
      await insert(d1, 'contributions', { article: 'a', person, part: 'EDITOR' })
    }
    const { found, included } = await readAs(store, 'articles.list', wholePage, {
      include: 'contributors',
    })
    expect(found.records[0]?.linkage.contributors).toMatchObject({ more: true })
    expect(included.map(({ record }) => record.id).toSorted()).toEqual(ids('p', 20))
    expect(found.related).toHaveLength(20)
    expect(roundTrips).toHaveLength(1)
  })
})

describe('the meta of a member', () => {
  it('holds each of its columns, in a resource and on a page of the relationship', async () => {
    const { contributors } = articles.relationships
    const part = { schema: () => z.enum(['EDITOR', 'REVIEWER']), stored: contributions.part }
    const relationships = {
      ...articles.relationships,
      contributors: { ...contributors, meta: { part, again: part } },
    }
    const twice = createRegistry([{ ...articles, relationships }, people, tags])
    const { d1, store } = await openDomain(undefined, twice)
    await insert(d1, 'people', person('p1'), person('p2'))
    await insert(d1, 'articles', article('a'))
    for (const [person, part] of [
      ['p1', 'EDITOR'],
      ['p2', 'REVIEWER'],
    ] as const) {
      await insert(d1, 'contributions', { article: 'a', person, part })
    }
    const links = [
      { id: 'p1', meta: { json: '{"part":"EDITOR","again":"EDITOR"}' } },
      { id: 'p2', meta: { json: '{"part":"REVIEWER","again":"REVIEWER"}' } },
    ]
    const read = async (endpoint: string, from: From) =>
      (await readAs(store, endpoint, from, {}, twice)).found
    const item = await read('articles.get', { kind: 'ids', ids: ['a'] })
    expect(item.records[0]?.linkage.contributors?.members).toEqual(links)
    const relationship = { kind: 'linkage', id: 'a', relationship: 'contributors' } as const
    const page = await read('articles.contributors.readMany', {
      ...relationship,
      filter: {},
      sort: [],
      after: undefined,
      limit: 20,
    })
    expect(page.members).toEqual(links)
  })
})

describe('the total', () => {
  const total = async (count: number, from: Partial<From & { kind: 'page' }>, include?: string) => {
    using domain = await openDomain()
    const { d1, store } = domain
    await insert(d1, 'articles', ...ids('a', count).map((id) => article(id)))
    const page: From = { ...wholePage, limit: 2, total: true, ...from }
    const { found } = await readAs(store, 'articles.list', page, include ? { include } : {})
    return [found.total, found.records.length]
  }

  it.each([undefined, 'author'])('is told with every page, with include=%s', async (include) => {
    expect(await total(5, {}, include)).toEqual([5, 2])
    expect(await total(5, { offset: 4 }, include)).toEqual([5, 1])
    expect(await total(5, { offset: 6 }, include)).toEqual([5, 0])
    expect(await total(0, {}, include)).toEqual([0, 0])
    expect(await total(0, { offset: 2 }, include)).toEqual([0, 0])
    expect(await total(5, { filter: { id: ['a01', 'a05'] } }, include)).toEqual([2, 2])
    expect(await total(5, { filter: { id: ['b'] } }, include)).toEqual([0, 0])
    expect(await total(5, { filter: { id: ['a01'] }, offset: 1 }, include)).toEqual([1, 0])
    expect(await total(5, { after: ['a03'] }, include)).toEqual([5, 2])
    expect(await total(5, { after: ['a05'] }, include)).toEqual([5, 0])
    expect(await total(5, { total: false }, include)).toEqual([undefined, 2])
  })

  it('is not counted for a page that does not tell it', async () => {
    using domain = await openDomain()
    const { store, roundTrips } = domain
    await readAs(store, 'articles.list', { ...wholePage, filter: { id: ['a'] }, limit: 2 })
    expect(roundTrips.flat().join()).not.toMatch(/count/)
  })
})

describe('a sealed value', () => {
  it('that was moved to another row does not open, and says nothing of itself', async () => {
    const { d1, store, cipher } = await openDomain()
    const notes = await cipher.encrypt('quite secret', 'articles/other/notes')
    await insert(d1, 'articles', article('a', { notes }))
    const read = readAs(store, 'articles.get', { kind: 'ids', ids: ['a'] })
    await expect(read).rejects.toMatchObject({
      problems: [{ code: 'INTERNAL_SERVER_ERROR', detail: expect.not.stringContaining(notes) }],
      headers: { 'Retry-After': '1' },
    })
  })

  it('of somebody else is not even fetched', async () => {
    const { d1, store } = await openDomain()
    await insert(d1, 'articles', article('a', { keeper: 'bob', notes: 'not even ciphertext' }))
    const { found } = await readAs(store, 'articles.get', { kind: 'ids', ids: ['a'] })
    expect(found.records[0]?.attributes.notes).toBeNull()
  })
})
