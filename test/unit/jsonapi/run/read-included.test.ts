import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planRead } from '../../../../src/jsonapi/run/plan.ts'
import { type From, onlyId, type ResourceRecord } from '../../../../src/jsonapi/run/port.ts'
import { load, maxIncluded } from '../../../../src/jsonapi/run/read-operation.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { person } from '../request/requests.ts'
import { includes, worldIds, worlds } from '../worlds.ts'
import { memoryStore, page, type Stored } from './memory-store.ts'
import { endpointOf, specOf } from './readers.ts'

/** Loads what an endpoint would load, and counts the round trips. */
async function loaded(
  resources: readonly Stored[],
  endpoint: string,
  from: From,
  query: Readonly<Record<string, string>>,
) {
  const { store, roundTrips } = memoryStore(resources)
  const principal = person('articles.read')
  const request = { ...endpointOf(endpoint), principal, query: await specOf(endpoint, query) }
  const graph = await load(store, registry, planRead(registry, request, from))
  const { found } = graph
  const included = graph.included.map(({ record }) => record)
  const names = included.map(nameOf).toSorted()
  return { found, included, names, roundTrips, cost: roundTrips.length }
}

const nameOf = ({ type, id }: { readonly type: string; readonly id: string }) => `${type}/${id}`

const world: readonly Stored[] = [
  {
    type: 'articles',
    id: 'a1',
    links: { author: ['p1'], contributors: ['p1', 'p2'], tags: ['t1'] },
  },
  { type: 'articles', id: 'a2', links: { author: ['p1'], contributors: ['p3'] } },
  { type: 'people', id: 'p1', links: { favourite: ['t1'], follows: ['p2'] } },
  { type: 'people', id: 'p2', links: { favourite: ['t2'], follows: ['p1', 'p2', 'p3'] } },
  { type: 'people', id: 'p3', links: { follows: ['p4'] } },
  { type: 'people', id: 'p4', attributes: { nickname: 'Far' }, links: { favourite: ['t3'] } },
  { type: 'tags', id: 't1', links: { neighbours: ['t2'] } },
  { type: 'tags', id: 't2', links: { neighbours: ['t1', 't2'] } },
  { type: 'tags', id: 't3' },
]

describe('a read of included resources', () => {
  it('each round trip asks for ids alone, of all types at once, and for the same caller', async () => {
    const query = { include: 'contributors.follows,contributors.favourite' }
    const { roundTrips } = await loaded(world, 'articles.list', page, query)
    const [[first] = [], second = []] = roundTrips
    const viewer = first?.viewer
    const people = { attributes: ['nickname', 'born'], relationships: ['favourite'] }
    const tags = { attributes: ['label', 'kind'], relationships: [] }
    expect(viewer).toBe('ann')
    expect(second).toEqual(
      [
        { type: 'people', ids: ['p4'], show: people },
        { type: 'tags', ids: ['t1', 't2'], show: tags },
      ].map(({ type, ids, show }) => ({
        type,
        from: { kind: 'ids', ids },
        show: { ...onlyId, ...show },
        alongside: [],
        viewer,
      })),
    )
  })
})

describe('for any resources and any include', () => {
  it('no document holds a resource twice, or one that nothing in it links', async () => {
    const id = fc.constantFrom(...worldIds)
    await fc.assert(
      fc.asyncProperty(worlds, includes, id, async (world, paths, id) => {
        const from: From = { kind: 'ids', ids: [id] }
        const query = { include: paths.join() }
        const { found, included, cost } = await loaded(world, 'articles.get', from, query)
        const all = [...found.records, ...included]
        expect(new Set(all.map(nameOf)).size).toBe(all.length)
        const linked = new Set(all.flatMap(targetsOf))
        expect(included.map(nameOf).filter((name) => !linked.has(name))).toEqual([])
        expect(cost).toBeLessThanOrEqual(Math.max(...paths.map((path) => path.split('.').length)))
      }),
    )
  })
})

function targetsOf({ type, linkage }: ResourceRecord): string[] {
  return Object.entries(linkage).flatMap(([name, { members }]) =>
    members.map(({ id }) => `${registry.get(type).relationships[name]?.target}/${id}`),
  )
}

describe('how much an include may bring', () => {
  const ids = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}.${at}`)
  const following = (id: string, count: number): Stored => ({
    type: 'people',
    id,
    links: { follows: ids(id, count) },
  })
  /** One article with 20 contributors, who follow 20 people each, who follow as many as told in all. */
  const crowd = (last: number): readonly Stored[] => [
    { type: 'articles', id: 'a', links: { contributors: ids('p', 20) } },
    ...ids('p', 20).map((first) => following(first, 20)),
    ...ids('p', 20)
      .flatMap((first) => ids(first, 20))
      .map((second, at) => following(second, Math.floor((last + at) / 400))),
  ]
  const room = maxIncluded - 400
  const include = 'contributors.follows.follows'
  const from: From = { kind: 'ids', ids: ['a'] }

  it('refuses what leads to more than an isolate should hold, before it is read', async () => {
    await expect(loaded(crowd(room + 1), 'articles.get', from, { include })).rejects.toMatchObject({
      status: 400,
      problems: [
        {
          code: 'VALUE_INVALID_FORMAT',
          detail: expect.stringContaining(String(maxIncluded)),
          source: { parameter: 'include' },
        },
      ],
    })
  })

  it('reads all of it up to that', async () => {
    const { included, roundTrips } = await loaded(crowd(room), 'articles.get', from, { include })
    // The last ones are links to nobody.
    expect(included).toHaveLength(20 + 400)
    const asked = roundTrips.at(-1)?.flatMap(({ from }) => (from.kind === 'ids' ? from.ids : []))
    expect(asked).toHaveLength(room)
  })
})
