import { describe, expect, it } from 'vitest'
import { withKnownFields } from '../../../support/fields.ts'
import { get } from '../../../support/service.ts'
import { allScopes, countries, faults, newUser, relative, send, userOf, writer } from './writers.ts'

/** The body of a user with every attribute and relationship. */
function fullUser() {
  return newUser({
    attributes: {
      addresses: [{ city: 'Oslo', zip: '0150', doorCode: '4711' }, { city: 'Bergen' }],
      creditCardNumber: '4242 4242 4242 4242',
    },
    relationships: {
      citizenships: { data: countries('SE', 'NO') },
      placeOfBirth: { data: { type: 'countries', id: 'FI' } },
      relatives: { data: [relative('2', 'WIFE'), relative('1', 'SON')] },
    },
  })
}

describe('POST /users', () => {
  it('answers 201 with the whole document, and where the user is', async () => {
    const me = await writer()
    const body = fullUser()
    const { status, headers, document } = await send('POST', '/users', me, body)

    expect(status).toBe(201)
    const { id } = document.data
    const self = `/jsonapi/users/${id}`
    expect(headers.location).toBe(self)
    const linksTo = (relationship: string) => ({
      self: `${self}/relationships/${relationship}`,
      related: `${self}/${relationship}`,
    })
    expect(withKnownFields(document)).toEqual({
      jsonapi: { version: '1.1' },
      links: { self },
      data: {
        type: 'users',
        id,
        attributes: body.data.attributes,
        relationships: {
          citizenships: { links: linksTo('citizenships'), data: countries('NO', 'SE') },
          placeOfBirth: { links: linksTo('placeOfBirth'), data: { type: 'countries', id: 'FI' } },
          relatives: {
            links: linksTo('relatives'),
            data: [relative('1', 'SON'), relative('2', 'WIFE')],
          },
        },
        links: { self },
      },
    })
  })

  it('gives ids that are UUIDv7, later ones after earlier ones', async () => {
    const me = await writer()
    const [first, second] = [await userOf(me), await userOf(me)]

    expect([first, second]).toEqual([
      expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    ])
    expect(first < second).toBe(true)
  })

  it.each<[scopes: string, cacheControl: string]>([
    [allScopes, 'private, no-store'],
    ['users.write', 'private, no-cache'],
  ])('renders the answer as a GET with the same token does: %s', async (scopes, cacheControl) => {
    const { token } = await writer(scopes)
    const made = await send('POST', '/users', { token }, fullUser())
    const read = await get(`/users/${made.document.data.id}`, token)

    expect(made.document).toEqual(read.document)
    expect(made.headers['cache-control']).toBe(cacheControl)
    expect(read.headers['cache-control']).toBe(cacheControl)
  })
})

describe('a create that conflicts', () => {
  it('answers 404 at each linkage target that does not exist, all of them together', async () => {
    const unknown = crypto.randomUUID()
    const body = newUser({
      relationships: {
        citizenships: { data: countries('NO', 'XX', 'no') },
        placeOfBirth: { data: { type: 'countries', id: 'YY' } },
        relatives: { data: [relative('1', 'SON'), relative(unknown, 'WIFE')] },
      },
    })
    const answer = await send('POST', '/users', await writer(), body)

    expect(answer.status).toBe(404)
    expect(faults(answer)).toEqual([
      ['404', 'NOT_FOUND', '/data/relationships/citizenships/data/1/id'],
      ['404', 'NOT_FOUND', '/data/relationships/citizenships/data/2/id'],
      ['404', 'NOT_FOUND', '/data/relationships/placeOfBirth/data/id'],
      ['404', 'NOT_FOUND', '/data/relationships/relatives/data/1/id'],
    ])
  })
})
