import { describe, expect, it } from 'vitest'
import { createUser } from '../../support/people.ts'
import { client, get, person, uniquePerson } from '../../support/service.ts'

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
