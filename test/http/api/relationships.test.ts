import { describe, expect, it } from 'vitest'
import { createUser, toBrothers, toCountries } from '../../support/people.ts'
import { client, get, person, reader, uniquePerson } from '../../support/service.ts'

const links = (path: string) => ({
  self: path,
  first: path,
  prev: null,
  next: null,
  last: null,
  related: path.replace('/relationships', ''),
})
const jsonapi = { version: '1.1' }

describe('the linkage of a user', () => {
  it('lists citizenships, with the links of a page (operation 10)', async () => {
    const { token } = await uniquePerson('users.citizenships.read')
    const { status, document } = await get('/users/1/relationships/citizenships', token)
    expect(status).toBe(200)
    expect(document).toEqual({
      jsonapi,
      links: links('/jsonapi/users/1/relationships/citizenships'),
      data: [
        { type: 'countries', id: 'NO' },
        { type: 'countries', id: 'US' },
      ],
    })
  })

  it('is one identifier for placeOfBirth (operation 14)', async () => {
    const { token } = await uniquePerson('users.read')
    const { document } = await get('/users/1/relationships/placeOfBirth', token)
    expect(document).toEqual({
      jsonapi,
      links: {
        self: '/jsonapi/users/1/relationships/placeOfBirth',
        related: '/jsonapi/users/1/placeOfBirth',
      },
      data: { type: 'countries', id: 'US' },
    })
  })

  it('is null for placeOfBirth where there is none', async () => {
    const { id, token } = await createUser()
    const { status, document } = await get(`/users/${id}/relationships/placeOfBirth`, token)
    expect([status, document.data]).toEqual([200, null])
  })

  it('lists relatives, each with the type of the relationship (operation 16)', async () => {
    const { token } = await uniquePerson('users.read')
    const { document } = await get('/users/2/relationships/relatives', token)
    expect(document).toEqual({
      jsonapi,
      links: links('/jsonapi/users/2/relationships/relatives'),
      data: [
        { type: 'users', id: '1', meta: { relationshipType: 'HUSBAND' } },
        { type: 'users', id: '3', meta: { relationshipType: 'SON' } },
        { type: 'users', id: '4', meta: { relationshipType: 'DAUGHTER' } },
      ],
    })
  })

  it.each(['citizenships', 'relatives'])('is an empty list for a user without %s', async (name) => {
    const { id, token } = await createUser()
    const { status, document } = await get(`/users/${id}/relationships/${name}`, token)
    expect([status, document.data]).toEqual([200, []])
  })
})

/** Scopes by relationship (contract, section 1). */
const scopes = [
  { name: 'citizenships', scope: 'users.citizenships.read', others: 'users.read users.write' },
  { name: 'placeOfBirth', scope: 'users.read', others: 'users.citizenships.read users.write' },
  { name: 'relatives', scope: 'users.read', others: 'users.citizenships.read users.write' },
]

describe.each(scopes)('GET /users/{id}/relationships/$name (contract, section 1)', (row) => {
  const path = `/users/1/relationships/${row.name}`

  it(`is open to a person with ${row.scope}`, async () => {
    expect((await get(path, (await uniquePerson(row.scope)).token)).status).toBe(200)
  })

  it.each([
    { who: 'a client', token: () => client() },
    { who: 'a person with other scopes', token: () => person('1', row.others) },
    {
      who: 'a person with a scope that only begins alike',
      token: () => person('1', `${row.scope}s`),
    },
    { who: 'the owner without a scope', token: () => person('1', '') },
  ])('is closed to $who: 403, and the challenge names the scope', async ({ token }) => {
    const { status, headers, document } = await get(path, await token())
    expect(status).toBe(403)
    expect(document.errors).toMatchObject([
      { code: 'INSUFFICIENT_ENTITLEMENTS', source: { header: 'Authorization' } },
    ])
    expect(headers['www-authenticate']).toMatch(/^Bearer /)
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"')
    expect(headers['www-authenticate']).toContain(`scope="${row.scope}"`)
  })
})

describe('included resources of a relationship document', () => {
  it('are shown by the same rules as any user (contract, section 4)', async () => {
    const mine = await createUser({ attributes: { creditCardNumber: '5555-5555-5555-4444' } })
    const root = await createUser({ relationships: { relatives: toBrothers(mine.id) } })
    const path = `/users/${root.id}/relationships/relatives?include=relatives`
    const [own, foreign] = await Promise.all([get(path, mine.token), get(path, await reader())])
    expect(own.text).toContain('5555-5555-5555-4444')
    expect(foreign.text).not.toContain('5555-5555-5555-4444')
  })

  it('are absent behind a relationship that the caller may not see', async () => {
    const relative = await createUser({ relationships: { citizenships: toCountries('NO') } })
    const root = await createUser({ relationships: { relatives: toBrothers(relative.id) } })
    const path = `/users/${root.id}/relationships/relatives?include=relatives.citizenships`
    const { token } = await uniquePerson('users.read')
    const { included = [] } = (await get(path, token)).document
    expect(included.map(({ id }) => id)).toEqual([relative.id])
    expect(included[0]?.relationships?.citizenships).not.toHaveProperty('data')
  })

  it('are members of this page only', async () => {
    const relatives = await Promise.all(Array.from({ length: 22 }, () => createUser()))
    const ids = relatives.map(({ id }) => id).toSorted()
    const root = await createUser({ relationships: { relatives: toBrothers(...ids) } })
    const first = await get(
      `/users/${root.id}/relationships/relatives?include=relatives`,
      root.token,
    )
    expect(first.document.included?.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 20))
    const next = (first.document.links?.next ?? '').replace('/jsonapi', '')
    const second = await get(next, root.token)
    expect(second.document.included?.map(({ id }) => id).toSorted()).toEqual(ids.slice(20))
  })
})
