import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SortKey } from '../../../src/jsonapi/request/query.ts'
import type { From, ResourceRecord } from '../../../src/jsonapi/run/port.ts'
import { runs } from '../runs.ts'
import { edit } from './changes.ts'
import { readAs, walk, wholePage } from './reading.ts'
import { ids, insertAll, openDomain } from './second-domain/domain.ts'

/** A visit as a document shows it. */
interface Visit {
  readonly begun: string
  readonly pages: number
  readonly paid: boolean
}

const names = ids('v', 30)

// Few values, so that many visits are equal in some of them; numbers and dates whose texts have another order.
const visit: fc.Arbitrary<Visit> = fc.record({
  begun: fc.constantFrom(-1, 0, 9_999, 1_700_000_000_123).map((at) => new Date(at).toISOString()),
  pages: fc.constantFrom(-3, 2, 10, 9_007_199_254_740_991),
  paid: fc.boolean(),
})
const visits = fc.array(visit, { minLength: names.length, maxLength: names.length })
const sorts: fc.Arbitrary<readonly SortKey[]> = fc
  .shuffledSubarray(['begun', 'pages', 'paid'], { minLength: 1 })
  .chain((fields) =>
    fc.tuple(
      ...fields.map((field) => fc.record({ field: fc.constant(field), descending: fc.boolean() })),
    ),
  )
const limit = fc.integer({ min: 1, max: 7 })
const filters = fc.record(
  {
    begun: fc.subarray([new Date(0).toISOString(), '1970-01-01T00:00:09.999Z']),
    pages: fc.subarray(['2', '10']),
    paid: fc.subarray(['true', 'false']),
  },
  { requiredKeys: [] },
)

const numberOf = ({ begun, pages, paid }: Visit, field: string): number =>
  field === 'begun' ? Date.parse(begun) : field === 'pages' ? pages : Number(paid)

/** The ids of the visits that pass the filter, in the order of the sort. */
function expected(
  all: readonly Visit[],
  sort: readonly SortKey[],
  filter: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return all
    .map((each, index) => ({ each, id: names[index] ?? '' }))
    .filter(({ each }) =>
      Object.entries(filter).every(([name, texts]) =>
        texts.includes(String(each[name as keyof Visit])),
      ),
    )
    .toSorted((one, other) => {
      for (const { field, descending } of sort) {
        const difference = numberOf(one.each, field) - numberOf(other.each, field)
        if (difference !== 0) {
          return descending ? -difference : difference
        }
      }
      return one.id < other.id ? -1 : 1
    })
    .map(({ id }) => id)
}

/** The domain with visits, all of which are similar to the first one, and each of which comes after the first one. */
async function visited(all: readonly Visit[]) {
  const domain = await openDomain()
  const rows = all.map(({ begun, pages, paid }, index) => ({
    visit_no: names[index] ?? '',
    begun: Date.parse(begun),
    pages,
    paid: Number(paid),
    previous: 'v01',
  }))
  const similar = rows.map(({ visit_no }) => ({ visit: 'v01', similar: visit_no }))
  await insertAll(domain.d1, [
    ['visits', rows],
    ['similar_visits', similar],
  ])
  return domain
}

const of = { type: 'visits', id: 'v01', relationship: 'similar' }

describe('numbers, booleans and dates', () => {
  it('order and filter the pages of a collection, of related resources and of linkage', async () => {
    await fc.assert(
      fc.asyncProperty(visits, sorts, filters, limit, async (all, sort, filter, limit) => {
        using domain = await visited(all)
        const { store } = domain
        const inOrder = expected(all, sort, filter)
        const page = { ...wholePage, sort, filter, limit }
        const linkage = { kind: 'linkage', ...of, sort, filter, after: undefined, limit } as const
        for (const [endpoint, from] of [
          ['visits.list', { ...page, total: true }],
          ['visits.similar.relatedMany', { ...page, of }],
          ['visits.similar.readMany', linkage],
        ] as const) {
          const pages = await walk(
            from,
            async (next) => (await readAs(store, endpoint, next)).found,
          )
          const found = pages.flatMap(({ records, members }) =>
            from === linkage ? members : records,
          )
          expect(found.map(({ id }) => id)).toEqual(inOrder)
        }
      }),
      { numRuns: runs(60) },
    )
  })

  it('are the same in a row, in an included resource, and after they were written', async () => {
    const { store } = await openDomain()
    const attributes = {
      begun: '1969-12-31T23:59:59.999Z',
      pages: 9_007_199_254_740_991,
      paid: false,
      ended: '2026-01-02T03:04:05.678Z',
      helped: true,
    }
    const from: From = { kind: 'ids', ids: ['v01'] }
    const show = { attributes: Object.keys(attributes), ownAttributes: [], relationships: [] }
    const read = { type: 'visits', from, show, alongside: [], viewer: null }
    const create = (id: string, before: readonly string[]) => {
      const previous = before.map((each) => ({ type: 'visits', id: each }))
      const change = { kind: 'create', id, attributes, relationships: { previous }, read } as const
      return store.write([edit(change, null, { type: 'visits' })])
    }
    await create('v00', [])
    expect(await create('v01', ['v00'])).toMatchObject({
      kind: 'done',
      found: [{ records: [{ attributes }] }],
    })
    const { found } = await readAs(store, 'visits.get', from, { include: 'previous' })
    const shown = (records: readonly ResourceRecord[]) => records.map((each) => each.attributes)
    expect([shown(found.records), shown(found.related)]).toEqual([[attributes], [attributes]])
  })

  it('may be absent, in a row and in an included resource', async () => {
    const domain = await visited([{ begun: new Date(0).toISOString(), pages: 1, paid: true }])
    const { found } = await readAs(domain.store, 'visits.list', wholePage, { include: 'previous' })
    for (const { attributes } of [...found.records, ...found.related]) {
      expect(attributes).toMatchObject({ ended: null, helped: null })
    }
    const helped = { ...wholePage, filter: { helped: ['false'] } }
    expect((await readAs(domain.store, 'visits.list', helped)).found.records).toEqual([])
  })
})
