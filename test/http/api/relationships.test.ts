import { describe, expect, it } from 'vitest'
import { createUser, toBrothers } from '../../support/people.ts'
import { client, get, person, uniquePerson } from '../../support/service.ts'

describe('the linkage of a user', () => {
  it('lists relatives, each with the type of the relationship, with the links of a page (operation 16)', async () => {
    const { token } = await uniquePerson('users.read')
    const { document } = await get('/users/2/relationships/relatives', token)
    const self = '/jsonapi/users/2/relationships/relatives'
    const related = '/jsonapi/users/2/relatives'
    expect(document).toEqual({
      jsonapi: { version: '1.1' },
      links: { self, first: self, prev: null, next: null, last: null, related },
      data: [
        { type: 'users', id: '1', meta: { relationshipType: 'HUSBAND' } },
        { type: 'users', id: '3', meta: { relationshipType: 'SON' } },
        { type: 'users', id: '4', meta: { relationshipType: 'DAUGHTER' } },
      ],
    })
  })

  it('is null for placeOfBirth where there is none (operation 14)', async () => {
    const { id, token } = await createUser()
    const { status, document } = await get(`/users/${id}/relationships/placeOfBirth`, token)
    expect([status, document.data]).toEqual([200, null])
  })
})

describe('related resources', () => {
  it('are the relatives of a person, each as its own path shows it (operation 23)', async () => {
    const token = await person('1')
    const { document } = await get('/users/1/relatives', token)
    const alone = await get('/users?filter[id]=2,3,4,5', token)
    const self = '/jsonapi/users/1/relatives'
    expect(document.links).toEqual({ self, first: self, prev: null, next: null, last: null })
    expect(document.data).toEqual(alone.document.data)
  })

  it('are kept by caches no longer than the person that they belong to', async () => {
    const { token } = await uniquePerson('users.citizenships.read')
    const { headers } = await get('/users/1/citizenships?include=currencies', token)
    expect(headers['cache-control']).toBe('private, no-cache')
  })

  it('show a card to its owner alone, and no cache may store them then', async () => {
    const card = '4111 1111 1111 1111'
    const one = await createUser({ attributes: { creditCardNumber: card } })
    const other = await createUser({ relationships: { relatives: toBrothers(one.id) } })
    const own = await get(`/users/${other.id}/relatives`, one.token)
    expect(own.document.data[0].attributes.creditCardNumber).toBe(card)
    expect(own.headers['cache-control']).toBe('private, no-store')
    const foreign = await get(`/users/${other.id}/relatives`, other.token)
    expect(foreign.text).not.toContain(card)
    expect(foreign.headers['cache-control']).toBe('private, no-cache')
  })
})

/** Scopes by relationship. */
const scopes = [
  ['citizenships', 'users.citizenships.read', 'users.read users.write'],
  ['placeOfBirth', 'users.read', 'users.citizenships.read users.write'],
  ['relatives', 'users.read', 'users.citizenships.read users.write'],
].flatMap(([name, scope = '', others = '']) =>
  [`/users/1/relationships/${name}`, `/users/1/${name}`].map((path) => ({ path, scope, others })),
)

describe.each(scopes)('GET $path', ({ path, scope, others }) => {
  it(`is open to a person with ${scope}`, async () => {
    expect((await get(path, (await uniquePerson(scope)).token)).status).toBe(200)
  })

  it.each([
    { who: 'a client', token: () => client() },
    { who: 'a person with other scopes', token: () => person('1', others) },
  ])('is closed to $who: 403, and the challenge names the scope', async ({ token }) => {
    const { status, headers, document } = await get(path, await token())
    expect(status).toBe(403)
    expect(document.errors).toMatchObject([
      { code: 'INSUFFICIENT_ENTITLEMENTS', source: { header: 'Authorization' } },
    ])
    expect(headers['www-authenticate']).toMatch(/^Bearer /)
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"')
    expect(headers['www-authenticate']).toContain(`scope="${scope}"`)
  })
})
