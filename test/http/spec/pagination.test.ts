import { describe, expect, it } from 'vitest'
import { pageMeta } from '../../support/documents.ts'
import { createUser, insertUsers } from '../../support/people.ts'
import {
  type Answer,
  clientToken,
  database,
  get,
  reader,
  uniquePerson,
  variant,
} from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

/** A link as a URI reference, with the brackets of parameters percent-encoded. */
const spelled = (link: string) => link.replaceAll('[', '%5B').replaceAll(']', '%5D')

/** Sends a GET as a person who may see everything. */
const read = async (path: string): Promise<Answer> => get(path, await reader())

describe('the cursor strategy', () => {
  it.each(['/countries', '/currencies'])('pages %s by 20', async (path) => {
    const { links, meta, data } = (await read(path)).document
    expect(data).toHaveLength(20)
    const cursor = meta?.['pagination.nextCursor']
    expect(cursor).toMatch(/^[0-9A-Za-z]+$/)
    expect(meta).toEqual(pageMeta({ nextCursor: String(cursor) }))
    expect(links).toEqual({
      self: `/jsonapi${path}`,
      first: `/jsonapi${path}`,
      prev: null,
      next: `/jsonapi${path}?page%5Bcursor%5D=${cursor}`,
      last: null,
    })
  })

  it('keeps every other parameter in its links, and self as it was sent, as a URI reference', async () => {
    const query = 'fields[countries]=name&include=currencies&filter%5Bregion%5D=africa,ASIA'
    const { links } = (await read(`/countries?${query}`)).document
    const kept = 'fields%5Bcountries%5D=name&include=currencies&filter%5Bregion%5D=africa,ASIA'
    expect(links?.self).toBe(spelled(`/jsonapi/countries?${query}`))
    expect(links?.first).toBe(`/jsonapi/countries?${kept}`)
    expect(links?.next).toMatch(`/jsonapi/countries?${kept}&page%5Bcursor%5D=`)
    const second = await read((links?.next ?? '').replace('/jsonapi', ''))
    expect(second.document.links?.first).toBe(`/jsonapi/countries?${kept}`)
  })

  it.each([
    { made: '/countries', used: '/currencies' },
    { made: '/users?sort=email', used: '/users?sort=-email' },
    { made: '/users?sort=email', used: '/users' },
    { made: '/countries?filter[region]=asia,europe', used: '/countries?filter[region]=asia' },
    {
      made: '/countries?filter[region]=asia',
      used: '/countries?filter[region]=asia&filter[id]=JP',
    },
  ])('refuses a cursor of $made on $used', async ({ made, used }) => {
    const { meta } = (await read(made)).document
    const cursor = String(meta?.['pagination.nextCursor'])
    const join = used.includes('?') ? '&' : '?'
    const answer = await read(`${used}${join}page[cursor]=${cursor}`)
    expect(answer.faults).toEqual(['400 VALUE_INVALID_FORMAT parameter page[cursor]'])
  })
})

const ids = ['paged-0', 'paged-1', 'paged-2', 'paged-3', 'paged-4']
const query = `filter[id]=nobody,${ids}&fields[users]=email&page[limit]=2`
const paged = ids.map((id) => ({ id, fullName: 'Paged', email: `${id}@page.example` }))
await insertUsers(database, paged)

it.each([
  { offset: 0, prev: null, next: 2 },
  { offset: 1, prev: 0, next: 3 },
  { offset: 2, prev: 0, next: 4 },
  { offset: 3, prev: 1, next: null },
  { offset: 4, prev: 2, next: null },
  { offset: 6, prev: 4, next: null },
  { offset: 90, prev: 4, next: null },
  { offset: Number.MAX_SAFE_INTEGER, prev: 4, next: null },
])(
  'a page by offset has the total, a cursor and links at offset $offset',
  async ({ offset, prev, next }) => {
    const at = (start: number | null) =>
      start && spelled(`/jsonapi/users?${query}&page[offset]=${start}`)
    const first = spelled(`/jsonapi/users?${query}`)
    const answer = await read(`/users?${query}&page[offset]=${offset}`)
    const { links, meta } = answer.document
    const cursor = meta?.['pagination.nextCursor']
    expect(idsOf(answer)).toEqual(ids.slice(offset, offset + 2))
    expect(meta).toEqual(
      pageMeta({ totalItems: 5, ...(next !== null && { nextCursor: String(cursor) }) }),
    )
    expect(links).toEqual({
      self: spelled(`/jsonapi/users?${query}&page[offset]=${offset}`),
      first,
      prev: prev === 0 ? first : at(prev),
      next: at(next),
      last: at(4),
    })
    if (next !== null) {
      const rest = await walk(`/jsonapi/users?${query}&page[cursor]=${cursor}`, {
        token: await reader(),
      })
      expect(idsOf(...rest)).toEqual(ids.slice(next))
      expect(rest[0]?.document.meta ?? {}).not.toHaveProperty('pagination.totalItems')
      expect(rest[0]?.document.links).toMatchObject({ prev: null, last: null })
    }
  },
)

it.each([0, 5])('an empty collection has one page, whatever the offset: %i', async (offset) => {
  const query = 'filter[id]=nobody&page[limit]=10'
  const { data, meta, links } = (await read(`/users?${query}&page[offset]=${offset}`)).document
  expect([data, meta]).toEqual([[], pageMeta({ totalItems: 0 })])
  const first = spelled(`/jsonapi/users?${query}`)
  const prev = offset === 0 ? null : first
  expect(links).toMatchObject({ first, prev, next: null, last: first })
})

it('no link leads beyond the offset that a full bucket pays for: last is null there', async () => {
  const { origin, batch } = await variant({
    RATE_LIMIT_BURST_CAPACITY: '1',
    RATE_LIMIT_REPLENISH_RATE: '1',
  })
  const read = async (query: string) =>
    (await get(`/users?${query}`, (await uniquePerson()).token, { origin })).document
  expect((await read('page[limit]=20')).links?.last).toMatch(/page%5Boffset%5D=\d+/)
  const rows = Array.from({ length: 1_200 }, (_, n) => ({
    id: `many-${n}`,
    fullName: 'Many',
    email: `${n}@many.example`,
  }))
  await insertUsers({ batch }, rows)
  const first = await read('page[limit]=20')
  expect(Number(first.meta?.['pagination.totalItems'])).toBeGreaterThan(1_200)
  expect(first.links?.last).toBeNull()
  const { links } = await read('page[limit]=20&page[offset]=980')
  expect(links?.next).toMatch(/page%5Bcursor%5D=/)
  expect((await read('page[offset]=1000')).errors).toMatchObject([
    { code: 'VALUE_INVALID_FORMAT', source: { parameter: 'page[offset]' } },
  ])
})

it('refuses an offset of any number of digits with its bounds', async () => {
  const answer = await read(`/users?page[offset]=${'9'.repeat(32)}`)
  expect(answer.document.errors).toMatchObject([
    { detail: expect.stringMatching(/, but must be within 0 and 2\^63-1\.$/) },
  ])
})

it('a to-many relationship pages by itself: 20 members in the resource, a link to the rest', async () => {
  const token = await clientToken()
  const countries = idsOf(...(await walk('/jsonapi/countries', { token }))).slice(0, 45)
  const data = countries.map((id) => ({ type: 'countries', id }))
  const user = await createUser({ relationships: { citizenships: { data } } })
  const { document } = await get(`/users/${user.id}?include=citizenships`, user.token)
  const { data: shown, links } = document.data.relationships.citizenships
  expect(shown).toEqual(data.slice(0, 20))
  expect(document.included?.map(({ id }) => id)).toEqual(countries.slice(0, 20))
  const rest = await walk(links.next, { token: user.token })
  expect(rest.map((page) => idsOf(page))).toEqual([countries.slice(20, 40), countries.slice(40)])
  const all = await walk(links.self, { token: user.token })
  expect(idsOf(...all)).toEqual(countries)
  expect(all[0]?.document.links?.next).toBe(links.next)
})
