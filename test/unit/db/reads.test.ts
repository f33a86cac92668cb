import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Included } from '../../../src/jsonapi/run/plan.ts'
import type { From, ResourceRecord } from '../../../src/jsonapi/run/port.ts'
import type { load } from '../../../src/jsonapi/run/read-operation.ts'
import { memoryStore, type Stored } from '../jsonapi/run/memory-store.ts'
import { includes, worldIds, worlds } from '../jsonapi/worlds.ts'
import { runs } from '../runs.ts'
import type { Database } from './d1.ts'
import { readAs, shownLinkage, wholePage } from './reading.ts'
import { article, insertAll, openDomain, person, tag } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

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

function targetsOf({ type, linkage }: ResourceRecord): string[] {
  return Object.entries(linkage).flatMap(([name, { members }]) =>
    members.map(({ id }) => `${registry.get(type).relationships[name]?.target}/${id}`),
  )
}

/** What a graph holds: the ids of the primary data in order, and all linkage of what is included, in any order. */
function outline({ found, included }: Awaited<ReturnType<typeof load>>) {
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
        const domain = openDomain()
        const { d1, store } = domain
        await insertWorld(d1, world)
        const query = { include: paths.join() }
        const expected = await readAs(memoryStore(world).store, endpoint, from, query)
        const graph = await readAs(store, endpoint, from, query)
        expect(outline(graph)).toEqual(outline(expected))
        // No document holds a resource twice, or one that nothing in it links.
        const all = [...graph.found.records, ...graph.included.map(({ record }) => record)]
        expect(new Set(all.map(nameOf)).size).toBe(all.length)
        const linked = all.flatMap(targetsOf)
        expect(graph.included.filter(({ record }) => !linked.includes(nameOf(record)))).toEqual([])
      }),
      { numRuns: runs(100) },
    )
  })

  it('has a target of two relationships in one round trip, with what is followed from each', async () => {
    const domain = openDomain()
    const { d1, store, roundTrips } = domain
    const links = { author: ['p'], contributors: ['p'] }
    await insertWorld(d1, [
      { type: 'articles', id: 'a', links },
      { type: 'people', id: 'p' },
    ])
    const include = 'author.favourite,contributors.follows'
    const from = { kind: 'ids', ids: ['a'] } as const
    const { included } = await readAs(store, 'articles.get', from, { include })
    expect(included.map(({ record }) => nameOf(record))).toEqual(['people/p'])
    expect(roundTrips).toHaveLength(1)
  })
})
