import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { createUser, toBrothers, toCountries } from '../../support/people.ts'
import { client, get, person, reader, uniquePerson } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

const links = (path: string) => ({ self: path, first: path, prev: null, next: null, last: null })

describe('related resources (contract, section 1)', () => {
  it('are the currencies of a country, for any caller (operation 20)', async () => {
    const { status, document } = await get('/countries/PA/currencies', await client())
    expect(status).toBe(200)
    expect(document.links).toEqual(links('/jsonapi/countries/PA/currencies'))
    const all = await get('/currencies?filter[id]=PAB,USD', await client())
    expect(document.data).toEqual(all.document.data)
    expect(document).not.toHaveProperty('meta')
  })

  it('are the countries that a person is a citizen of (operation 21)', async () => {
    const { token } = await uniquePerson('users.citizenships.read')
    const answer = await get('/users/1/citizenships?include=currencies', token)
    const { data, included } = answer.document
    expect(data.map(({ type, id }: Resource) => [type, id])).toEqual([
      ['countries', 'NO'],
      ['countries', 'US'],
    ])
    expect(data[0].attributes).toEqual({ name: 'Kingdom of Norway', region: 'Europe' })
    expect(included?.map(({ id }) => id)).toEqual(['NOK', 'USD'])
    // Citizenships change with the person, so that the answer is kept no longer than the person.
    expect(answer.headers['cache-control']).toBe('private, no-cache')
  })

  it('are the country that a person was born in, or null (operation 22)', async () => {
    const { document } = await get('/users/1/placeOfBirth', await reader())
    expect(document.links).toEqual({ self: '/jsonapi/users/1/placeOfBirth' })
    expect(document.data).toMatchObject({ type: 'countries', id: 'US' })
    const { id, token } = await createUser()
    const none = await get(`/users/${id}/placeOfBirth?include=currencies`, token)
    expect([none.status, none.document.data, none.document.included]).toEqual([200, null, []])
  })

  it('are the relatives of a person, each as its own path shows it (operation 23)', async () => {
    const token = await person('1')
    const { document } = await get('/users/1/relatives', token)
    const alone = await get('/users?filter[id]=2,3,4,5', token)
    expect(document.links).toEqual(links('/jsonapi/users/1/relatives'))
    expect(document.data).toEqual(alone.document.data)
  })

  it.each(['citizenships', 'relatives'])(
    'are an empty list for a user without %s',
    async (name) => {
      const { id, token } = await createUser()
      const { status, document } = await get(`/users/${id}/${name}`, token)
      expect([status, document.data]).toEqual([200, []])
    },
  )

  it.each([
    '/users/nobody/citizenships',
    '/users/nobody/placeOfBirth',
    '/users/nobody/relatives',
    '/countries/XX/currencies',
  ])('are a 404 where the resource that they belong to does not exist: %s', async (path) => {
    const { token } = await uniquePerson('users.read users.citizenships.read')
    const { status, document } = await get(path, token)
    expect(status).toBe(404)
    expect(document.errors).toMatchObject([{ code: 'NOT_FOUND', source: { path: 'id' } }])
  })

  it.each([
    { name: 'citizenships', scope: 'users.citizenships.read', others: 'users.read users.write' },
    { name: 'placeOfBirth', scope: 'users.read', others: 'users.citizenships.read users.write' },
    { name: 'relatives', scope: 'users.read', others: 'users.citizenships.read users.write' },
  ])('of $name are read with $scope, and by no client', async ({ name, scope, others }) => {
    const path = `/users/1/${name}`
    expect((await get(path, (await uniquePerson(scope)).token)).status).toBe(200)
    for (const token of [(await uniquePerson(others)).token, await client()]) {
      const { status, headers } = await get(path, token)
      expect(status).toBe(403)
      expect(headers['www-authenticate']).toContain(`scope="${scope}"`)
    }
  })

  it('show a card to its owner alone, and no cache may store them then (contract, sections 4 and 9)', async () => {
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

describe('members of a relationship, filtered and sorted (contract, sections 6 and 7)', () => {
  const names = ['Émile', 'emil', 'Zoë', 'zoe', 'ÅSA', 'asa']
  const family = async () => {
    const members = await Promise.all(
      names.map((fullName) => createUser({ attributes: { fullName } })),
    )
    const ids = members.map(({ id }) => id)
    const head = await createUser({
      relationships: { relatives: toBrothers(...ids), citizenships: toCountries('NO', 'PA', 'JP') },
    })
    const named = (name: string) => ids[names.indexOf(name)] ?? ''
    const byId = (...some: readonly string[]) => some.map(named).toSorted()
    const sorted = [...byId('ÅSA', 'asa'), named('emil'), named('Émile'), ...byId('Zoë', 'zoe')]
    return { head, ids: ids.toSorted(), sorted }
  }

  it('are found from the links of any document: links.related leads to the resources', async () => {
    const { head, ids } = await family()
    const item = await get(`/users/${head.id}`, head.token)
    const { related } = item.document.data.relationships.relatives.links
    const linkage = await get(`/users/${head.id}/relationships/relatives`, head.token)
    expect(linkage.document.links?.related).toBe(related)
    expect(idsOf(...(await walk(related, { token: head.token })))).toEqual(ids)
  })
})
