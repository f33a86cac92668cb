import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import type { Graph } from '../../../src/jsonapi/run/plan.ts'
import type { From } from '../../../src/jsonapi/run/store.ts'
import { readAs, shownLinkage, walk, wholePage } from './reading.ts'
import { articles } from './second-domain/articles.ts'
import { article, ids, insert, openDomain, person, tag } from './second-domain/domain.ts'
import { people } from './second-domain/people.ts'
import { tags } from './second-domain/tags.ts'

/** The second domain with other tags. */
function domainWith(change: object) {
  const changed: typeof tags = { ...tags, ...change }
  return createRegistry([articles, people, changed])
}

/** The same domain, with every read of tags in SQL. */
const nothingInMemory = domainWith({ snapshot: undefined })

describe('a type in memory reads like one that is not (contract, section 7)', () => {
  const tagWorld = fc.array(
    fc.record({ kind: fc.constantFrom('a', 'b'), neighbours: fc.subarray(ids('t', 30)) }),
    { minLength: 30, maxLength: 30 },
  )
  const someFilters = fc.record(
    {
      id: fc.subarray([...ids('t', 30), 'nothing']),
      kind: fc.subarray(['a', 'b', 'c']),
      // Another comparison would stand in the place of this one.
      'kind][equals': fc.subarray(['a', 'b', 'c']),
    },
    { requiredKeys: [] },
  )
  /** The relationships that lead to tags, each from resources that exist and one that does not. */
  const sources = fc.oneof(
    ...Object.entries({
      'tags.neighbours.relatedMany': ['t01', 't02'],
      'articles.tags.relatedMany': ['a1', 'a2'],
      'people.favourite.relatedOne': ['p1', 'p2'],
    }).map(([endpoint, known]) => {
      const [type = '', relationship = ''] = endpoint.split('.')
      const id = fc.constantFrom(...known, 'nothing')
      return id.map((id) => ({ endpoint, of: { type, id, relationship } }))
    }),
  )
  const froms: fc.Arbitrary<[endpoint: string, From]> = fc.oneof(
    fc
      .record({
        filter: someFilters,
        limit: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
        offset: fc.nat(35),
        after: fc.constantFrom(undefined, ['t05'], ['x']),
        total: fc.boolean(),
      })
      .map((page): [string, From] => ['tags.list', { ...wholePage, ...page }]),
    fc
      .uniqueArray(fc.constantFrom(...ids('t', 30), 'nothing'), { maxLength: 5 })
      .map((ids): [string, From] => ['tags.get', { kind: 'ids', ids }]),
    fc
      .record({
        id: fc.constantFrom('t01', 't02', 'nothing'),
        filter: someFilters,
        after: fc.constantFrom(undefined, ['t05'], ['x']),
        limit: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
      })
      .map((linkage): [string, From] => [
        'tags.neighbours.readMany',
        {
          ...linkage,
          kind: 'linkage',
          relationship: 'neighbours',
          sort: [],
        },
      ]),
    fc
      .record({
        source: sources,
        filter: someFilters,
        limit: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
        after: fc.constantFrom(undefined, ['t05'], ['x']),
      })
      .map(({ source: { endpoint, of }, ...page }): [string, From] => [
        endpoint,
        { ...wholePage, ...page, of },
      ]),
  )

  /** A graph without what depends on where it came from. The owner of a linkage only has to exist. */
  const plain = ({ found, included }: Graph, { kind }: From) => {
    const { related: _, ...rest } = found
    return {
      ...rest,
      records: found.records.map((record) => (kind === 'linkage' ? record.id : record)),
      included: included
        .toSorted((one, other) => (one.record.id < other.record.id ? -1 : 1))
        .map((each) => ({
          ...each.record,
          linkage: Object.fromEntries(shownLinkage(each)),
          follows: [...each.follows.keys()],
        })),
    }
  }

  it('whatever the read', async () => {
    await fc.assert(
      fc.asyncProperty(
        tagWorld,
        fc.array(froms, { minLength: 5, maxLength: 10 }),
        async (world, froms) => {
          using memory = await openDomain()
          using disk = await openDomain(undefined, nothingInMemory)
          for (const { d1 } of [memory, disk]) {
            await insert(
              d1,
              'tags',
              ...world.map(({ kind }, index) => tag(ids('t', 30)[index] ?? '', { kind })),
            )
            const links = world.flatMap(({ neighbours }, index) => {
              const tag = ids('t', 30)[index] ?? ''
              return neighbours.map((neighbour) => ({ tag, neighbour, weight: 'HEAVY' }))
            })
            await insert(d1, 'tag_neighbours', ...links)
            await insert(d1, 'articles', article('a1'), article('a2'))
            const some = world.flatMap(({ kind }, index) =>
              kind === 'a' ? [{ article: 'a1', tag: ids('t', 30)[index] ?? '' }] : [],
            )
            await insert(d1, 'article_tags', ...some)
            await insert(d1, 'people', person('p1', { favourite: 't03' }), person('p2'))
          }
          for (const [endpoint, from] of froms) {
            const query = { include: 'neighbours.neighbours' }
            const expected = await readAs(disk.store, endpoint, from, query, nothingInMemory)
            const graph = await readAs(memory.store, endpoint, from, query)
            expect(plain(graph, from)).toEqual(plain(expected, from))
          }
          // The tags once, and what stored resources lead to: nothing else is asked of the database.
          const stored = froms.filter(([endpoint]) => !endpoint.startsWith('tags.'))
          expect(memory.roundTrips).toHaveLength(1 + stored.length)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('and is walked, whatever its size, without asking the database again', async () => {
    const { d1, store, roundTrips } = await openDomain()
    await insert(d1, 'tags', ...ids('t', 45).map((id) => tag(id)))
    const pages = await walk(
      { ...wholePage, limit: 20 },
      async (next) => (await readAs(store, 'tags.list', next)).found,
    )
    expect(pages.flatMap(({ records }) => records.map(({ id }) => id))).toEqual(ids('t', 45))
    expect(roundTrips).toHaveLength(1)
  })
})
