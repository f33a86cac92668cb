import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyOf } from '../../../src/db/source.ts'
import { users } from '../../../src/resources/users.ts'
import { runs } from '../runs.ts'
import { inOrder, places, rowsOf, type World, worlds } from './members.ts'
import { startPlanned } from './planned.ts'

const { run, statementsOf } = await startPlanned()

/** What a document holds, as far as these tests look. */
interface Listed {
  readonly id: string
  readonly type: string
  readonly meta?: { readonly relationshipType: string }
}

const sorts = fc.constantFrom(
  '',
  'fullName',
  '-fullName',
  'email',
  '-email',
  'fullName,email',
  '-fullName,email',
  'fullName,-email',
  '-email,fullName',
  'fullName,fullName',
)
const ids = Array.from({ length: 49 }, (_, index) => `m${String(index).padStart(2, '0')}`)
const filters = fc.option(fc.subarray(ids, { maxLength: 20 }), { nil: undefined })

/** Where relatives are listed: as identifiers, twenty a page, or as resources, as many as asked for. */
const relatives = fc.record({
  name: fc.constant('relatives' as const),
  id: fc.constantFrom(...ids.slice(0, 48)),
  isLinkage: fc.boolean(),
  limit: fc.constantFrom(1, 2, 3, 7, 20),
  sort: sorts,
  filter: filters,
  removes: fc.boolean(),
})
const citizenships = fc.record({
  name: fc.constant('citizenships' as const),
  id: fc.constantFrom(...ids.slice(0, 48)),
  isLinkage: fc.boolean(),
  regions: fc.option(fc.subarray(['Europe', 'africa', 'AMERICAS', 'Oceania']), { nil: undefined }),
  filter: fc.option(fc.subarray([...Object.keys(places), 'XX']), { nil: undefined }),
})
const walks = fc.oneof({ weight: 4, arbitrary: relatives }, { weight: 1, arbitrary: citizenships })
type Walk = typeof walks extends fc.Arbitrary<infer Value> ? Value : never

/** How many sequences of reads are compared in all, and how many of them share a world. */
const sequences = runs(500)
const perWorld = 25

function pathOf({ id, name, isLinkage }: Walk): string {
  return `/users/${id}${isLinkage ? '/relationships' : ''}/${name}`
}

/** The path of the first page. */
function start(walk: Walk): string {
  const query = [
    ...(walk.filter ? [`filter[id]=${walk.filter}`] : []),
    ...(walk.name === 'relatives'
      ? [`sort=${walk.sort}`, ...(walk.isLinkage ? [] : [`page[limit]=${walk.limit}`])]
      : walk.regions
        ? [`filter[region]=${walk.regions}`]
        : []),
  ]
  return `${pathOf(walk)}?${query.join('&')}`
}

/** What a walk over all pages must show, one after the other. */
function expected(world: World, walk: Walk, gone: string | undefined): readonly Listed[] {
  const isAsked = (id: string) => id !== gone && (!walk.filter || walk.filter.includes(id))
  if (walk.name === 'relatives') {
    const of = world.relatives.get(walk.id) ?? new Map()
    const members = world.people.filter(({ id }) => of.has(id) && isAsked(id))
    return inOrder(members, walk.sort).map(({ id }) => ({
      type: 'users',
      id,
      ...(walk.isLinkage && { meta: { relationshipType: of.get(id) ?? '' } }),
    }))
  }
  const regions = walk.regions?.map((region) => region.toLowerCase())
  const isThere = (id: string) => !regions || regions.includes(places[id]?.toLowerCase() ?? '')
  return (world.citizenships.get(walk.id) ?? [])
    .filter((id) => isAsked(id) && isThere(id))
    .map((id) => ({ type: 'countries', id }))
}

/** All pages, each of one round trip; after the first of them something may happen. */
async function pagesOf(path: string, between: () => Promise<unknown>) {
  const pages: Listed[][] = []
  let next: string | null = path
  while (next !== null) {
    const { document, statements } = await statementsOf('GET', next)
    expect(statements).toHaveLength(1)
    pages.push(document.data)
    expect(Object.keys(document.meta ?? {})).toEqual(
      document.links.next === null ? [] : ['pagination.nextCursor'],
    )
    next = document.links.next
    if (next !== null && pages.length === 1) {
      await between()
    }
  }
  return pages
}

const plain = ({ type, id, meta }: Listed): Listed => ({ type, id, ...(meta && { meta }) })

/** Walks, and finds what the model finds, page by page. */
async function compare(world: World, walk: Walk): Promise<void> {
  // A member that stands behind the first page and leaves while the others are read.
  const size = walk.name === 'relatives' && !walk.isLinkage ? walk.limit : 20
  const all = expected(world, walk, undefined)
  const gone = walk.name === 'relatives' && walk.removes ? all.at(size + 1) : undefined
  const link = gone && [walk.id, gone.id, world.relatives.get(walk.id)?.get(gone.id)]
  const pages = await pagesOf(start(walk), async () => {
    await (link &&
      run('DELETE FROM user_relatives WHERE user_id = ? AND relative_id = ?', ...link.slice(0, 2)))
  })
  await (link && run('INSERT OR IGNORE INTO user_relatives VALUES (?, ?, ?)', ...link))
  expect(pages.flat().map(plain)).toEqual(expected(world, walk, gone?.id))
  expect(pages.slice(0, -1).map(({ length }) => length)).toEqual(pages.slice(1).map(() => size))
}

describe('relationships and related resources answer like a plain model (contract, sections 6 and 7)', () => {
  it(`on every page of ${sequences} random walks, sorted and filtered`, async () => {
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(walks, { minLength: perWorld, maxLength: perWorld }),
        async (world, walks) => {
          for (const [sql, rows] of rowsOf(world, (name, value) => keyOf(users, name, value))) {
            await run(sql, JSON.stringify(rows))
          }
          for (const walk of walks) {
            await compare(world, walk)
          }
        },
      ),
      { numRuns: sequences / perWorld },
    )
  }, 300_000)
})
