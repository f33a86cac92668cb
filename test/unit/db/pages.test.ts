import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SortKey } from '../../../src/jsonapi/request/query.ts'
import type { From, ResourceRecord } from '../../../src/jsonapi/run/port.ts'
import { foldCase, sortKey } from '../../../src/jsonapi/sort-key.ts'
import { runs } from '../runs.ts'
import { edit } from './changes.ts'
import { readAs, walk, wholePage } from './reading.ts'
import { ids, insertAll, openDomain } from './second-domain/domain.ts'

/** A visit as a document shows it. */
interface Visit {
  readonly id: string
  readonly place: string | null
  readonly ticket: string
  readonly begun: string
  readonly pages: number
  readonly paid: boolean
}

const names = ids('v', 30)
/** A combining mark has no letters. */
const mark = '\u0301'

// Few values, so that many visits are equal in some of them; numbers and dates whose texts have another order, and texts of different
// length, case and plane.
const visits: fc.Arbitrary<readonly Visit[]> = fc.tuple(
  ...names.map((id) =>
    fc.record({
      id: fc.constant(id),
      place: fc.constantFrom('a', 'A', 'ab', 'b', '', mark, null, 'é', 'É', '\uffee', '😀'),
      ticket: fc.constantFrom('x', 'X', 'É', 'é').map((text) => `${text}${id}`),
      begun: fc
        .constantFrom(-1, 0, 9_999, 1_700_000_000_123)
        .map((at) => new Date(at).toISOString()),
      pages: fc.constantFrom(-3, 2, 10, 9_007_199_254_740_991),
      paid: fc.boolean(),
    }),
  ),
)
const sorts: fc.Arbitrary<readonly SortKey[]> = fc
  .shuffledSubarray(['place', 'ticket', 'begun', 'pages', 'paid'])
  .chain((fields) =>
    fc.tuple(
      ...fields.map((field) => fc.record({ field: fc.constant(field), descending: fc.boolean() })),
    ),
  )
const limit = fc.integer({ min: 1, max: 7 })
const filters = fc.record(
  {
    place: fc.subarray(['A', 'é', mark]),
    begun: fc.subarray([new Date(0).toISOString(), '1970-01-01T00:00:09.999Z']),
    pages: fc.subarray(['2', '10']),
    paid: fc.subarray(['true', 'false']),
  },
  { requiredKeys: [] },
)

/** What a visit is sorted by: texts without case, and without accents where they need not be unique, by their bytes. */
function keyOf({ place, ticket, begun, pages, paid }: Visit, field: string): Buffer | number {
  const numbers: Readonly<Record<string, number>> = { begun: Date.parse(begun), pages, paid: +paid }
  return numbers[field] ?? Buffer.from(field === 'place' ? sortKey(place ?? '') : foldCase(ticket))
}

function compare(one: Buffer | number, other: Buffer | number): number {
  return typeof one === 'number' ? one - Number(other) : Buffer.compare(one, other as Buffer)
}

/** The ids of the visits that pass the filter, in the order of the sort, the id last. */
function expected(
  all: readonly Visit[],
  sort: readonly SortKey[],
  filter: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return all
    .filter((each) =>
      Object.entries(filter).every(([name, texts]) =>
        name === 'place'
          ? each.place !== null && texts.map(sortKey).includes(sortKey(each.place))
          : texts.includes(String(each[name as keyof Visit])),
      ),
    )
    .toSorted((one, other) => {
      for (const { field, descending } of sort) {
        const difference = compare(keyOf(one, field), keyOf(other, field))
        if (difference !== 0) {
          return descending ? -difference : difference
        }
      }
      return one.id < other.id ? -1 : 1
    })
    .map(({ id }) => id)
}

/** The rows of a visit that is similar to the first one, and comes after it. */
const rowsOf = ({ id, place, ticket, begun, pages, paid }: Visit) =>
  [
    [
      'visits',
      [
        {
          visit_no: id,
          place,
          place_fold: sortKey(place ?? ''),
          ticket,
          ticket_fold: foldCase(ticket),
          begun: Date.parse(begun),
          pages,
          paid: Number(paid),
          recorded: 0,
          previous: 'v01',
        },
      ],
    ],
    ['similar_visits', [{ visit: 'v01', similar: id }]],
  ] as const

/** The domain with visits, all of which are similar to the first one, and each of which comes after the first one. */
async function visited(all: readonly Visit[]) {
  const domain = openDomain()
  await insertAll(domain.d1, all.flatMap(rowsOf))
  return domain
}

const fields = ['place', 'begun', 'pages', 'paid', 'ended', 'helped', 'recorded']
const of = { type: 'visits', id: 'v01', relationship: 'similar' }

describe('texts, numbers, booleans and dates', () => {
  it('order and filter pages of a collection, of related resources and of linkage, none of which repeats or skips a row while others come and go', async () => {
    await fc.assert(
      fc.asyncProperty(visits, sorts, filters, limit, async (all, sort, filter, limit) => {
        const domain = await visited(all)
        const { d1, store } = domain
        const stay = all.filter(({ id }, index) => id === 'v01' || index % 2 === 1)
        const go = all.filter((one) => !stay.includes(one))
        const page = { ...wholePage, sort, filter, limit }
        const linkage = { kind: 'linkage', ...of, sort, filter, after: undefined, limit } as const
        for (const [endpoint, from] of [
          ['visits.list', { ...page, total: true }],
          ['visits.similar.relatedMany', { ...page, of }],
          ['visits.similar.readMany', linkage],
        ] as const) {
          const pages = await walk(from, async (next) => {
            const { found } = await readAs(store, endpoint, next)
            const [one] = go.splice(0, 1)
            if (one) {
              await d1.prepare('DELETE FROM visits WHERE visit_no = ?').bind(one.id).raw()
              const other = { ...one, id: `n${one.id}`, ticket: `${one.ticket}!` }
              await insertAll(d1, rowsOf(other))
            }
            return found
          })
          const found = pages.flatMap(({ records, members }) =>
            (from === linkage ? members : records).map(({ id }) => id),
          )
          expect(new Set(found).size).toBe(found.length)
          const stayed = new Set(stay.map(({ id }) => id))
          expect(found.filter((id) => stayed.has(id))).toEqual(expected(stay, sort, filter))
        }
      }),
      { numRuns: runs(60) },
    )
  })

  it('are the same in a row, in an included resource, and after they were written, and may be absent', async () => {
    const { store } = openDomain()
    const show = { attributes: [...fields], ownAttributes: [], relationships: [] }
    const create = async (id: string, attributes: object, ...previous: { id: string }[]) => {
      const from: From = { kind: 'ids', ids: [id] }
      const read = { type: 'visits', from, show, alongside: [], viewer: null }
      const all = { attributes: { ...attributes, ticket: id }, relationships: { previous } }
      const one = edit({ kind: 'create', id, ...all, read }, null, { type: 'visits' })
      expect(await store.write([one])).toMatchObject({ found: [{ records: [{ attributes }] }] })
    }
    const required = {
      begun: '1969-12-31T23:59:59.999Z',
      pages: 9_007_199_254_740_991,
      paid: false,
    }
    const whole = { ...required, place: 'Ä', ended: '2026-01-02T03:04:05.678Z', helped: true }
    const start = new Date().toISOString()
    const none = { place: null, ended: null, helped: null }
    await create('v00', whole)
    await create('v01', required, { id: 'v00' })
    await create('v02', required, { id: 'v01' })
    const { found } = await readAs(store, 'visits.list', wholePage, { include: 'previous' })
    const shown = (records: readonly ResourceRecord[]) =>
      records.map(({ attributes }) => attributes)
    const partial = { ...required, ...none }
    expect(shown(found.records)).toMatchObject([whole, partial, partial])
    expect(shown(found.related)).toMatchObject([whole, partial])
    // The server sets when a visit was recorded.
    const recorded = shown(found.records).map(({ recorded }) => String(recorded))
    const times = [start, ...recorded, new Date().toISOString()]
    expect(times).toEqual(times.toSorted())
    for (const filter of [{ helped: ['false'] }, { place: [''] }, { place: [mark] }]) {
      const from = { ...wholePage, filter }
      expect((await readAs(store, 'visits.list', from)).found.records).toEqual([])
    }
  })
})
