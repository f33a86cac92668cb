import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SortKey } from '../../../src/jsonapi/request/query.ts'
import type { From } from '../../../src/jsonapi/run/port.ts'
import { runs } from '../runs.ts'
import { readAs, walk, wholePage } from './reading.ts'
import { article, insert, openDomain } from './second-domain/domain.ts'

/** An article, as far as an order or a filter sees it. */
interface Entry {
  readonly id: string
  readonly title: string
  readonly handle: string
  readonly section: string
}

// Few values, so that most rows tie; of different length, case and plane.
const word = fc.constantFrom('a', 'A', 'ab', 'b', 'Z', '', 'é', 'É', '\uffee', '😀')

const entries: fc.Arbitrary<readonly Entry[]> = fc
  .uniqueArray(fc.string({ unit: fc.constantFrom(...'aA01~.-_'), minLength: 1, maxLength: 4 }), {
    maxLength: 30,
  })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          title: word,
          handle: fc.constant(`${id}#${ids.indexOf(id)}`),
          section: word,
        }),
      ),
    ),
  )

const sorts: fc.Arbitrary<readonly SortKey[]> = fc
  .shuffledSubarray(['title', 'handle', 'section'])
  .chain((fields) =>
    fc.tuple(
      ...fields.map((field) => fc.record({ field: fc.constant(field), descending: fc.boolean() })),
    ),
  )

/** Bytewise, as SQLite compares text. */
const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Letters without case and accents; a handle is told apart by its accents, since it is unique. */
const keyOf = (field: string, text: string): string => {
  const plain = field === 'handle' ? text : text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  return plain.toLowerCase()
}

/** The ids in the order asked for: by keys, the id last. */
function sorted(entries: readonly Entry[], sort: readonly SortKey[]): string[] {
  const inOrder = entries.toSorted((one, other) => {
    for (const { field, descending } of sort) {
      const [a, b] = [one, other].map((entry) => keyOf(field, entry[field as keyof Entry]))
      const difference = compare(a ?? '', b ?? '')
      if (difference !== 0) {
        return descending ? -difference : difference
      }
    }
    return compare(one.id, other.id)
  })
  return inOrder.map(({ id }) => id)
}

async function openWith(entries: readonly Entry[]) {
  const domain = await openDomain()
  await insert(domain.d1, 'articles', ...entries.map(({ id, ...cells }) => article(id, cells)))
  const read = async (from: From) => (await readAs(domain.store, 'articles.list', from)).found
  return { ...domain, read }
}

const limits = fc.integer({ min: 1, max: 7 })

describe('pages by position', () => {
  it('neither repeat nor skip a row while others come and go', async () => {
    const events = fc.array(
      fc.record({ gone: fc.nat(), come: fc.record({ title: word, section: word }) }),
      {
        minLength: 30,
        maxLength: 30,
      },
    )
    await fc.assert(
      fc.asyncProperty(entries, sorts, limits, events, async (entries, sort, limit, events) => {
        using domain = await openWith(entries)
        const { d1, read } = domain
        const stay = entries.filter((_, index) => index % 2 === 0)
        const go = entries.filter((_, index) => index % 2 === 1)
        let round = 0
        const pages = await walk({ ...wholePage, sort, limit }, async (from) => {
          const page = await read(from)
          const event = events[round++]
          if (event && round < 20) {
            const victim = go[event.gone % Math.max(1, go.length)]?.id ?? ''
            await d1.prepare('DELETE FROM articles WHERE article_no = ?').bind(victim).raw()
            const handle = `new#${round}`
            await insert(d1, 'articles', article(`n${round}`, { ...event.come, handle }))
          }
          return page
        })
        const seen = pages.flatMap(({ records }) => records.map(({ id }) => id))
        expect(new Set(seen).size).toBe(seen.length)
        const stayed = new Set(stay.map(({ id }) => id))
        expect(seen.filter((id) => stayed.has(id))).toEqual(sorted(stay, sort))
      }),
      { numRuns: runs(100) },
    )
  })
})
