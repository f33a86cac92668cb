import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { keyOf, listOf } from '../../support/linkage.ts'
import { createUser, toCountries } from '../../support/people.ts'
import { client, get, reader, request, uniquePerson } from '../../support/service.ts'

const full = {
  attributes: {
    fullName: 'Nina Berg',
    addresses: [{ city: 'Oslo', zip: '0150', doorCode: '77' }, { zip: '5003' }],
    creditCardNumber: '4242-4242-4242-4242',
  },
  relationships: { citizenships: toCountries('NO'), placeOfBirth: { data: null } },
}
const owner = createUser(full)

/** What is left of the user under a fieldset. */
async function narrowed(fields: string): Promise<Resource> {
  const { id, token } = await owner
  return (await get(`/users/${id}?fields[users]=${fields}`, token)).document.data
}

describe('fields[type] (contract, section 6)', () => {
  it.each([
    { fields: 'fullName', attributes: { fullName: 'Nina Berg' } },
    {
      fields: 'creditCardNumber,fullName',
      attributes: { fullName: 'Nina Berg', creditCardNumber: '4242-4242-4242-4242' },
    },
    { fields: 'addresses.city', attributes: { addresses: [{ city: 'Oslo' }] } },
    {
      fields: 'addresses.zip,addresses.doorCode',
      attributes: { addresses: [{ zip: '0150', doorCode: '77' }, { zip: '5003' }] },
    },
  ])('$fields leaves these attributes, and no relationships', async ({ fields, attributes }) => {
    const { id } = await owner
    expect(await narrowed(fields)).toEqual({
      type: 'users',
      id,
      attributes,
      links: { self: `/jsonapi/users/${id}` },
    })
  })

  it('narrows relationships like attributes', async () => {
    const { attributes, relationships } = await narrowed('citizenships')
    expect(attributes).toBeUndefined()
    expect(Object.keys(relationships ?? {})).toEqual(['citizenships'])
  })

  it('leaves nothing where it is empty', async () => {
    const { id } = await owner
    expect(await narrowed('')).toEqual({
      type: 'users',
      id,
      links: { self: `/jsonapi/users/${id}` },
    })
  })

  it.each([
    { query: 'fields[countries]=region&fields[currencies]=symbol', symbol: 'kr' },
    { query: 'fields[countries]=region&fields[currencies]=', symbol: undefined },
  ])('narrows included resources, too: $query', async ({ query, symbol }) => {
    const path = `/users/3?include=citizenships.currencies&${query}`
    const { included = [] } = (await get(path, await reader())).document
    const [country, currency] = included
    expect(country).toMatchObject({ type: 'countries', attributes: { region: 'Europe' } })
    expect(country?.attributes).not.toHaveProperty('name')
    expect(country).not.toHaveProperty('relationships')
    expect(currency?.attributes).toEqual(symbol && { symbol })
  })

  it('applies to what a create answers with (contract, section 6)', async () => {
    const { token } = await uniquePerson('users.read users.write')
    const attributes = { fullName: 'Ola', email: `${crypto.randomUUID()}@example.com` }
    const { status, document } = await request('POST', '/jsonapi/users?fields[users]=fullName', {
      token,
      body: { data: { type: 'users', attributes } },
    })
    expect(status).toBe(201)
    expect(document.data.attributes).toEqual({ fullName: 'Ola' })
  })

  it('gives nobody what they may not see', async () => {
    const path = '/users/1?fields[users]=creditCardNumber,addresses.doorCode,relatives'
    const { data } = (await get(path, await client())).document
    expect(data).not.toHaveProperty('attributes')
    expect(data.relationships).toEqual({
      relatives: {
        links: {
          self: '/jsonapi/users/1/relationships/relatives',
          related: '/jsonapi/users/1/relatives',
        },
      },
    })
  })
})

describe('any fieldset', () => {
  const names = {
    users: [
      'fullName',
      'email',
      'addresses',
      'addresses.city',
      'addresses.zip',
      'addresses.doorCode',
      'creditCardNumber',
      'citizenships',
      'placeOfBirth',
      'relatives',
    ],
    countries: ['name', 'region', 'currencies'],
    currencies: ['name', 'symbol'],
  }
  const fieldsets = fc.record(
    {
      users: fc.subarray(names.users),
      countries: fc.subarray(names.countries),
      currencies: fc.subarray(names.currencies),
    },
    { requiredKeys: [] },
  )

  it('gives a part of the whole document: same resources, nothing in them that is not in the whole', async () => {
    const path = '/users?page[limit]=10&include=citizenships.currencies,relatives'
    const whole = await get(path, (await uniquePerson()).token)
    const inWhole = new Map(
      [...whole.document.data, ...(whole.document.included ?? [])].map((item) => [
        keyOf(item),
        item,
      ]),
    )
    await fc.assert(
      fc.asyncProperty(fieldsets, async (sets) => {
        const query = Object.entries(sets).map(([type, list]) => `&fields[${type}]=${list.join()}`)
        // A person for each: such a read costs nine tokens.
        const part = await get(path + query.join(''), (await uniquePerson()).token)
        const resources: Resource[] = [...part.document.data, ...(part.document.included ?? [])]
        expect(resources.map(keyOf).sort()).toEqual([...inWhole.keys()].sort())
        for (const resource of resources) {
          expect(isPartOf(resource, inWhole.get(keyOf(resource)))).toBe(true)
          const shown = [resource.attributes, resource.relationships].flatMap((members) =>
            Object.keys(members ?? {}),
          )
          const asked = sets[resource.type as keyof typeof names]?.map((name) => name.split('.')[0])
          if (asked) {
            expect(asked).toEqual(expect.arrayContaining(shown))
          }
        }
      }),
      { numRuns: 20 },
    )
  })
})

/** Is every member of the part in the whole? Lists may lack items and the items members. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return part.every((item) => listOf(whole as unknown[]).some((other) => isPartOf(item, other)))
  }
  if (typeof part === 'object' && part !== null) {
    const other = Object(whole)
    return Object.entries(part).every(([name, value]) => isPartOf(value, other[name]))
  }
  return part === whole
}
