import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Identifier, Resource } from '../../support/documents.ts'
import { pages, reads } from '../../support/endpoints.ts'
import { listOf, repeated, unlinked } from '../../support/linkage.ts'
import { createUser, toBrothers, toCountries } from '../../support/people.ts'
import { client, get, person, reader, uniquePerson, wideService } from '../../support/service.ts'

/** The fields of each type (contract, section 18). */
const fields: Readonly<Record<string, { attributes: string[]; relationships: string[] }>> = {
  countries: { attributes: ['name', 'region'], relationships: ['currencies'] },
  currencies: { attributes: ['name', 'symbol'], relationships: [] },
  users: {
    attributes: ['addresses', 'creditCardNumber', 'email', 'fullName'],
    relationships: ['citizenships', 'placeOfBirth', 'relatives'],
  },
}

/** Members of the envelopes (contract, section 8). */
const envelope = ['data', 'included', 'jsonapi', 'links', 'meta']

describe.each(reads)('the document of $name', ({ path, holds, type }) => {
  const read = async (query = '') => get(path + query, await reader())

  it(`has the members of its envelope alone, and ${holds} of type ${type} as its data (contract, section 8)`, async () => {
    const query = `?${encodeURIComponent(`fields[${type}]`)}=`
    const { document } = await read(query)
    expect(envelope).toEqual(expect.arrayContaining(Object.keys(document)))
    expect(document.jsonapi).toEqual({ version: '1.1' })
    expect(document.links?.self).toBe(`/jsonapi${path}${query}`)
    expect(document).not.toHaveProperty('included')
    const { data } = (await read()).document
    expect(Array.isArray(data)).toBe(holds === 'resources' || holds === 'identifiers')
    for (const item of listOf<Resource>(data)) {
      expect(item.type).toBe(type)
      expect(item.id).toEqual(expect.any(String))
      const members = holds.startsWith('identifier')
        ? ['type', 'id', 'meta']
        : ['type', 'id', 'attributes', 'relationships', 'links']
      expect(members).toEqual(expect.arrayContaining(Object.keys(item)))
    }
  })
})

describe('errors documents (contract, section 5)', () => {
  it('say that they are JSON:API 1.1, and hold no data', async () => {
    const { document } = await get('/planets')
    expect(Object.keys(document).sort()).toEqual(['errors', 'jsonapi'])
    expect(document.jsonapi).toEqual({ version: '1.1' })
  })
})

describe('resource objects (contract, section 18)', () => {
  it.each(Object.keys(fields))('of %s have the fields of the table and no others', async (type) => {
    const { id, token } = await createUser({
      attributes: { addresses: [{ city: 'Oslo' }], creditCardNumber: '4242 4242 4242 4242' },
      relationships: { citizenships: toCountries('NO') },
    })
    const { document } = await get(`/users/${id}?include=citizenships.currencies`, token)
    const all: Resource[] = [document.data, ...(document.included ?? [])]
    const resource = all.find((candidate) => candidate.type === type)
    expect(Object.keys(resource?.attributes ?? {}).sort()).toEqual(fields[type]?.attributes)
    expect(Object.keys(resource?.relationships ?? {}).sort()).toEqual(fields[type]?.relationships)
  })

  it('of users and countries link to themselves; currencies have no endpoint to link to', async () => {
    const { document } = await get('/users/1?include=placeOfBirth.currencies', await person('1'))
    const all: Resource[] = [document.data, ...(document.included ?? [])]
    expect(all.map(({ links }) => links?.self)).toEqual([
      '/jsonapi/users/1',
      '/jsonapi/countries/US',
      undefined,
    ])
  })

  it('have a link to each of their relationship endpoints', async () => {
    const { data } = (await get('/users/2', await client())).document
    for (const name of fields.users?.relationships ?? []) {
      expect(data.relationships[name].links.self).toBe(`/jsonapi/users/2/relationships/${name}`)
    }
  })

  it('omit attributes that have no value (contract, section 8)', async () => {
    const { id, token } = await createUser()
    const { data } = (await get(`/users/${id}`, token)).document
    expect(Object.keys(data.attributes)).toEqual(['fullName', 'email'])
  })

  it('have null for an empty to-one relationship, and none for an empty to-many', async () => {
    const { id, token } = await createUser()
    const { relationships } = (await get(`/users/${id}`, token)).document.data
    expect(relationships.placeOfBirth.data).toBeNull()
    expect(relationships.citizenships.data).toEqual([])
    expect(relationships.relatives.data).toEqual([])
  })

  it('carry the type of each relative in the meta of its identifier', async () => {
    const { data } = (await get('/users/3', await reader())).document
    expect(data.relationships.relatives.data).toEqual([
      { type: 'users', id: '1', meta: { relationshipType: 'FATHER' } },
      { type: 'users', id: '2', meta: { relationshipType: 'MOTHER' } },
    ])
  })
})

describe('included (contract, section 8)', () => {
  it.each([
    { what: 'country without a currency', path: '/countries/AQ?include=currencies' },
    { what: 'empty page', path: '/users?filter%5Bid%5D=&include=relatives' },
    { what: 'empty include', path: '/countries/NO?include=' },
  ])('is empty, but there, for an $what', async ({ path }) => {
    const { document } = await get(path, await reader())
    expect(document.included).toEqual([])
  })

  it('is empty for an empty to-one relationship, whose data are null', async () => {
    const { id, token } = await createUser()
    const { document } = await get(
      `/users/${id}/relationships/placeOfBirth?include=placeOfBirth`,
      token,
    )
    expect([document.data, document.included]).toEqual([null, []])
  })

  it('does not repeat a person of the primary data', async () => {
    const { document } = await get('/users/1?include=relatives.relatives', await person('1'))
    const ids = document.included?.map(({ id }) => id).sort()
    expect(ids).toEqual(['2', '3', '4', '5'])
  })

  it('holds one who is related to many once', async () => {
    const shared = await createUser()
    const others = await Promise.all(
      [1, 2, 3].map(() => createUser({ relationships: { relatives: toBrothers(shared.id) } })),
    )
    const ids = others.map(({ id }) => id).join()
    const { document } = await get(`/users?filter[id]=${ids}&include=relatives`, shared.token)
    expect(document.included?.map(({ id }) => id)).toEqual([shared.id])
  })
})

describe('whatever is included', () => {
  const steps: Readonly<Record<string, readonly string[]>> = {
    users: ['citizenships', 'placeOfBirth', 'relatives'],
    countries: ['currencies'],
    currencies: [],
  }
  const target = (step: string) =>
    step === 'relatives' ? 'users' : step === 'currencies' ? 'currencies' : 'countries'
  const paths = (type: string, depth: number): string[] =>
    (depth > 0 ? (steps[type] ?? []) : []).flatMap((step) => [
      step,
      ...paths(target(step), depth - 1).map((rest) => `${step}.${rest}`),
    ])
  const endpoints = [...pages, ...reads.filter(({ holds }) => holds === 'resource')].filter(
    ({ takes }) => 'include' in takes,
  )
  const requests = fc.constantFrom(...endpoints).chain(({ path, type }) => {
    const [, owner = '', , , relationship] = path.split('/')
    const all = relationship
      ? paths(owner, 3).filter((name) => name.startsWith(relationship))
      : paths(type, 3)
    return fc.tuple(fc.constant(path), fc.subarray(all, { maxLength: Math.min(all.length, 10) }))
  })

  it('no resource stands in a document twice, and linkage leads to each (contract, section 8)', async () => {
    // Ten paths of three steps may cost more than the usual bucket holds.
    const { origin } = await wideService()
    await fc.assert(
      fc.asyncProperty(requests, async ([path, include]) => {
        const { token } = await uniquePerson()
        const { document } = await get(`${path}?include=${include.join()}`, token, { origin })
        expect(repeated(document)).toEqual([])
        expect(unlinked(document)).toEqual([])
        expect(document.included).toBeDefined()
      }),
      { numRuns: 25 },
    )
  })

  it('every member of an included relationship is there', async () => {
    const { token } = await uniquePerson()
    const { document } = await get('/users?include=citizenships,placeOfBirth,relatives', token)
    const present = new Set(
      [...document.data, ...(document.included ?? [])].map(({ type, id }) => `${type}/${id}`),
    )
    const linked = document.data.flatMap(({ relationships }: Resource) =>
      Object.values(relationships ?? {}).flatMap(({ data }) => listOf<Identifier>(data)),
    )
    expect(linked.length).toBeGreaterThan(0)
    for (const { type, id } of linked) {
      expect(present).toContain(`${type}/${id}`)
    }
  })
})
