import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Graph } from '../../src/jsonapi/load.ts'
import type { From, ResourceRecord } from '../../src/jsonapi/store.ts'
import { memoryStore, type Stored } from '../jsonapi/memory-store.ts'
import { includes, worldIds, worlds } from '../jsonapi/worlds.ts'
import { readAs, wholePage } from './reading.ts'
import { article, ids, insert, openDomain, person, tag } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

/** Writes a world into the tables. */
function insertWorld(sqlite: DatabaseSync, world: readonly Stored[]): void {
  const of = (type: string) => world.filter((resource) => resource.type === type)
  const pairs = (type: string, name: string) =>
    of(type).flatMap(({ id, links }) =>
      (links?.[name] ?? []).map((target) => [id, target] as const),
    )
  insert(sqlite, 'tags', ...of('tags').map(({ id }) => tag(id)))
  insert(
    sqlite,
    'people',
    ...of('people').map(({ id, links }) =>
      person(id, { favourite: links?.favourite?.[0] ?? null }),
    ),
  )
  insert(
    sqlite,
    'articles',
    ...of('articles').map(({ id, links }) => article(id, { author: links?.author?.[0] ?? null })),
  )
  insert(
    sqlite,
    'tag_neighbours',
    ...pairs('tags', 'neighbours').map(([tag, neighbour]) => ({ tag, neighbour, weight: 'LIGHT' })),
  )
  insert(
    sqlite,
    'follows',
    ...pairs('people', 'follows').map(([follower, followed]) => ({ follower, followed })),
  )
  insert(
    sqlite,
    'contributions',
    ...pairs('articles', 'contributors').map(([article, person]) => ({
      article,
      person,
      part: 'EDITOR',
    })),
  )
  insert(
    sqlite,
    'article_tags',
    ...pairs('articles', 'tags').map(([article, tag]) => ({ article, tag })),
  )
}

const nameOf = ({ type, id }: ResourceRecord) => `${type}/${id}`

/** What a graph holds: the ids of the primary data in order, and all linkage of what is included, in any order. */
function outline({ found, included }: Graph) {
  const members = ({ linkage }: ResourceRecord) =>
    Object.entries(linkage).map(([name, { links }]) => [name, links.map(({ id }) => id)])
  return {
    records: found.records.map(nameOf),
    links: found.links.map(({ id }) => id),
    included: included.map((record) => [nameOf(record), members(record)]).toSorted(),
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
        const { sqlite, store } = openDomain()
        insertWorld(sqlite, world)
        const query = { include: paths.join() }
        const expected = await readAs(memoryStore(registry, world).store, endpoint, from, query)
        expect(outline(await readAs(store, endpoint, from, query))).toEqual(outline(expected))
      }),
    )
  })

  it('of a page brings along also the resource that stands first on the next one', async () => {
    const { sqlite, store, roundTrips } = openDomain()
    insert(sqlite, 'people', ...ids('p', 3).map((id) => person(id)))
    insert(
      sqlite,
      'follows',
      { follower: 'p01', followed: 'p02' },
      { follower: 'p01', followed: 'p03' },
    )
    const page: From = { ...wholePage, limit: 2 }
    const { included } = await readAs(store, 'people.list', page, { include: 'follows' })
    expect(included.map(nameOf)).toEqual(['people/p03'])
    expect(roundTrips).toHaveLength(1)
  })

  it('brings along what the shown linkage points to, and no more (contract, section 7)', async () => {
    const { sqlite, store, roundTrips } = openDomain()
    insert(sqlite, 'people', ...ids('p', 25).map((id) => person(id)))
    insert(sqlite, 'articles', article('a'))
    for (const person of ids('p', 25)) {
      insert(sqlite, 'contributions', { article: 'a', person, part: 'EDITOR' })
    }
    const { found, included } = await readAs(store, 'articles.list', wholePage, {
      include: 'contributors',
    })
    expect(found.records[0]?.linkage.contributors).toMatchObject({ more: true })
    expect(included.map(({ id }) => id).toSorted()).toEqual(ids('p', 20))
    expect(found.related).toHaveLength(20)
    expect(roundTrips).toHaveLength(1)
  })
})

describe('a sealed value', () => {
  it('that was moved to another row does not open, and says nothing of itself', async () => {
    const { sqlite, store, cipher } = openDomain()
    const notes = await cipher.encrypt('quite secret', 'articles/other/notes')
    insert(sqlite, 'articles', article('a', { notes }))
    const read = readAs(store, 'articles.get', { kind: 'ids', ids: ['a'] })
    await expect(read).rejects.toMatchObject({
      problems: [{ code: 'INTERNAL_SERVER_ERROR', detail: expect.not.stringContaining(notes) }],
      headers: { 'Retry-After': '1' },
    })
  })

  it('of somebody else is not even fetched', async () => {
    const { sqlite, store } = openDomain()
    insert(sqlite, 'articles', article('a', { keeper: 'bob', notes: 'not even ciphertext' }))
    const { found } = await readAs(store, 'articles.get', { kind: 'ids', ids: ['a'] })
    expect(found.records[0]?.attributes.notes).toBeNull()
  })
})
