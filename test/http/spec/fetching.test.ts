import { describe, expect, it } from 'vitest'
import { reads } from '../../support/endpoints.ts'
import { clientToken, get, reader } from '../../support/service.ts'

/** Every query parameter (contract, section 6), with a value that each endpoint can judge. */
const known = [
  'include',
  'fields[countries]',
  'fields[currencies]',
  'fields[users]',
  'page[cursor]',
  'page[limit]',
  'page[offset]',
  'sort',
  'filter[id]',
  'filter[region]',
]

describe('query parameters (contract, section 1)', () => {
  it.each(reads)('$name takes no parameter of others', async ({ path, holds, takes }) => {
    const isPaged = holds === 'resources' || holds === 'identifiers'
    const others = known.filter((name) => !(name in takes || (isPaged && name === 'page[cursor]')))
    const query = new URLSearchParams(others.map((name) => [name, '1']))
    const { status, document } = await get(`${path}?${query}`, await reader())
    expect(status).toBe(others.length > 0 ? 400 : 200)
    expect(
      document.errors?.map(({ code, source }) => `${code} ${source?.parameter}`).sort(),
    ).toEqual(
      others
        .map((name) =>
          name.startsWith('fields[')
            ? `INVALID_ENUM_VALUE ${name}`
            : `UNEXPECTED_PARAMETER ${name}`,
        )
        .sort(),
    )
  })

  it.each(reads)('$name refuses a parameter that is given twice', async ({ path, takes }) => {
    const [name = '', value = ''] = Object.entries(takes)[0] ?? []
    const pair = `${encodeURIComponent(name)}=${value}`
    const answer = await get(`${path}?${pair}&${pair}`, await reader())
    expect(answer.status).toBe(400)
    expect(answer.document.errors).toMatchObject([
      { code: 'VALUE_INVALID_FORMAT', source: { parameter: name } },
    ])
  })

  it('may be written with their brackets escaped or not', async () => {
    const token = await clientToken()
    const plain = await get('/countries?filter[id]=NO', token)
    const escaped = await get('/countries?filter%5Bid%5D=NO', token)
    expect(escaped.document.data).toEqual(plain.document.data)
  })
})

describe('include (contract, section 6)', () => {
  const included = async (path: string, token?: string) => {
    const { document } = await get(path, token ?? (await reader()))
    return document.included?.map(({ type, id }) => `${type}/${id}`).sort()
  }

  it.each([
    { path: '/countries/NO?include=currencies', holds: ['currencies/NOK'] },
    { path: '/users/3?include=citizenships', holds: ['countries/NO'] },
    { path: '/users/5?include=relatives,placeOfBirth', holds: ['countries/US', 'users/1'] },
    {
      path: '/users/5?include=relatives.placeOfBirth.currencies',
      holds: ['countries/US', 'currencies/USD', 'users/1'],
    },
    {
      path: '/users/5?include=relatives.relatives',
      holds: ['users/1', 'users/2', 'users/3', 'users/4'],
    },
    {
      path: '/users?filter[id]=3,5&include=placeOfBirth',
      holds: ['countries/NO', 'countries/US'],
    },
    {
      path: '/users/1/relationships/placeOfBirth?include=placeOfBirth.currencies',
      holds: ['countries/US', 'currencies/USD'],
    },
    {
      path: '/users/5/relationships/relatives?include=relatives.placeOfBirth.currencies',
      holds: ['countries/US', 'currencies/USD', 'users/1'],
    },
  ])('brings along what $path asks for', async ({ path, holds }) => {
    expect(await included(path)).toEqual(holds)
  })

  it.each([
    { path: '/countries', unknown: 'capital', allowed: ['currencies'] },
    {
      path: '/users',
      unknown: 'friends',
      allowed: ['citizenships', 'placeOfBirth', 'relatives', 'relatives.placeOfBirth.currencies'],
    },
    { path: '/users/1', unknown: 'relatives.relatives.relatives.relatives', allowed: [] },
    { path: '/users/1/relationships/relatives', unknown: 'placeOfBirth', allowed: ['relatives'] },
    {
      path: '/users/1/relationships/placeOfBirth',
      unknown: 'currencies',
      allowed: ['placeOfBirth.currencies'],
    },
    { path: '/countries/NO', unknown: '__proto__', allowed: ['currencies'] },
  ])('of $path refuses $unknown and lists what is allowed', async ({ path, unknown, allowed }) => {
    const answer = await get(`${path}?include=${unknown}`, await reader())
    expect(answer.status).toBe(400)
    expect(answer.document.errors).toMatchObject([
      { code: 'INVALID_ENUM_VALUE', source: { parameter: 'include' } },
    ])
    const detail = answer.document.errors?.[0]?.detail
    for (const text of [unknown, ...allowed]) {
      expect(detail).toContain(text)
    }
  })
})
