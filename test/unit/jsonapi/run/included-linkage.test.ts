import { describe, expect, it } from 'vitest'
import { planRead } from '../../../../src/jsonapi/run/plan.ts'
import { load } from '../../../../src/jsonapi/run/read.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { person } from '../request/requests.ts'
import { memoryStore, type Stored } from './memory-store.ts'
import { endpointOf, specOf } from './readers.ts'
import { ask } from './reading.ts'

/** p1 follows p2, who follows p3, who follows p1; an article that p1 wrote and p2 contributed to. */
const resources: readonly Stored[] = [
  { type: 'articles', id: 'a1', links: { author: ['p1'], contributors: ['p2', 'p1'] } },
  { type: 'people', id: 'p1', links: { follows: ['p2'], favourite: ['t1'] } },
  { type: 'people', id: 'p2', links: { follows: ['p3'], favourite: ['t1'] } },
  { type: 'people', id: 'p3', links: { follows: ['p1'] } },
  { type: 'tags', id: 't1', links: { neighbours: ['t2'] } },
  { type: 'tags', id: 't2' },
]

/** Of each included person whether linkage of follows (to-many) and of favourite (to-one) is carried; and the reads. */
async function carried(name: string, id: string, query: Readonly<Record<string, string>>) {
  const principal = person('articles.read')
  const { document, reads } = await ask(name, { id, principal, query, resources })
  const people = (document.included ?? []).filter(({ type }) => type === 'people')
  const shown = people.map(({ id, relationships = {} }) => [
    id,
    Object.entries(relationships)
      .filter(([, { data }]) => data !== undefined)
      .map(([name]) => name),
  ])
  return { shown: Object.fromEntries(shown), reads, document }
}

describe('linkage of included resources (contract, section 8)', () => {
  it('of a to-many relationship is there at the level where an include path follows it', async () => {
    const { shown } = await carried('articles.get', 'a1', { include: 'author.follows' })
    expect(shown).toEqual({ p1: ['favourite', 'follows'], p2: ['favourite'] })
  })

  it('is not there, and not read, where no path follows it', async () => {
    const { shown, reads } = await carried('articles.get', 'a1', { include: 'author,contributors' })
    expect(shown).toEqual({ p1: ['favourite'], p2: ['favourite'] })
    const selected = reads.flatMap(({ alongside }) => alongside.map(({ show }) => show))
    expect(selected.map(({ relationships }) => relationships)).toEqual([
      ['favourite'],
      ['favourite'],
    ])
  })

  it('shows the links of the relationship in any case', async () => {
    const { document } = await carried('articles.get', 'a1', { include: 'author' })
    expect(document.included?.[0]?.relationships?.follows).toEqual({
      links: {
        self: '/root/people/p1/relationships/follows',
        related: '/root/people/p1/follows',
      },
    })
  })

  it.each(['contributors,author.follows', 'author.follows,contributors'])(
    'is what is followed at any of its levels, for a resource that is reached at several: %s',
    async (include) => {
      // p1 is at the first level without follows, by contributors, and with it, by author.
      const { shown } = await carried('articles.get', 'a1', { include })
      expect(shown).toEqual({ p2: ['favourite'], p1: ['favourite', 'follows'] })
    },
  )

  it('is read again where a deeper level follows what the first one did not', async () => {
    // p2 comes along with the article; only the second level, from p1, follows what p2 follows.
    const { shown, reads } = await carried('articles.get', 'a1', {
      include: 'contributors,author.follows.follows',
    })
    expect(shown).toEqual({
      p1: ['favourite', 'follows'],
      p2: ['favourite', 'follows'],
      p3: ['favourite'],
    })
    const again = reads.flatMap(({ from }) => (from.kind === 'ids' ? [from.ids] : []))
    expect(again).toEqual([['a1'], ['p2'], ['p3']])
  })

  it('of primary resources is there, whole, whatever include says', async () => {
    const { document } = await carried('people.get', 'p1', { include: 'favourite' })
    expect(document.data.relationships.follows.data).toEqual([{ type: 'people', id: 'p2' }])
  })

  it('of a primary resource that an include path leads back to stays as it is', async () => {
    const { document, shown } = await carried('people.get', 'p1', {
      include: 'follows.follows.follows',
      'fields[people]': 'favourite',
    })
    expect(shown).toEqual({ p2: ['favourite'], p3: ['favourite'] })
    expect(Object.keys(document.data.relationships)).toEqual(['favourite'])
  })

  it('is decided once for each level, however many resources are reached at several', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `p${index}`)
    const clan = ids.map((id): Stored => {
      return { type: 'people', id, links: { follows: ids.filter((other) => other !== id) } }
    })
    const { store } = memoryStore(clan)
    const spec = specOf('people.get', { include: 'follows.follows.follows' })
    const request = { ...endpointOf('people.get'), principal: person('articles.read') }
    const service = { registry }
    const reading = planRead(service, request, spec, { kind: 'ids', ids: ['p0'] })
    const { included } = await load(store, registry, reading)
    expect(included).toHaveLength(19)
    expect(new Set(included.map(({ follows }) => follows)).size).toBeLessThanOrEqual(3)
  })
})
