import { describe, expect, it } from 'vitest'
import { reads } from '../../support/endpoints.ts'
import { clientToken, get, reader, request, uniquePerson } from '../../support/service.ts'

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

/** What each endpoint takes (contract, sections 1 and 7). */
const table = reads.flatMap(({ name, path, holds, takes }) =>
  known.map((parameter) => {
    const paged = parameter === 'page[cursor]' && (holds === 'resources' || holds === 'identifiers')
    return { name, path, parameter, value: takes[parameter], taken: parameter in takes || paged }
  }),
)

describe('query parameters (contract, section 1)', () => {
  it.each(table.filter(({ value }) => value !== undefined))(
    '$name takes $parameter',
    async ({ path, parameter, value = '' }) => {
      const query = new URLSearchParams({ [parameter]: value })
      const { status } = await get(`${path}?${query}`, await reader())
      expect(status).toBe(200)
    },
  )

  it.each(reads)('$name takes all that it takes at once', async ({ path, takes }) => {
    const { status } = await get(`${path}?${new URLSearchParams(takes)}`, await reader())
    expect(status).toBe(200)
  })

  it.each(table.filter(({ taken }) => !taken))(
    '$name does not take $parameter',
    async ({ path, parameter }) => {
      const query = new URLSearchParams({ [parameter]: '1' })
      const answer = await get(`${path}?${query}`, await reader())
      const isFields = parameter.startsWith('fields[')
      expect(answer.status).toBe(400)
      expect(answer.document.errors).toMatchObject([
        {
          code: isFields ? 'INVALID_ENUM_VALUE' : 'UNEXPECTED_PARAMETER',
          source: { parameter },
        },
      ])
    },
  )

  it.each(reads)('$name refuses what nothing takes', async ({ path }) => {
    const { status, document } = await get(`${path}?exclude=a&Include=b`, await reader())
    expect(status).toBe(400)
    expect(document.errors?.map(({ code, source }) => [code, source?.parameter])).toEqual([
      ['UNEXPECTED_PARAMETER', 'exclude'],
      ['UNEXPECTED_PARAMETER', 'Include'],
    ])
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

  it.each(['include=relatives', 'page[limit]=1', 'sort=email', 'filter[id]=1'])(
    'POST /users takes fields[…], but not %s (contract, section 6)',
    async (query) => {
      const { token } = await uniquePerson('users.write')
      const answer = await request('POST', `/jsonapi/users?${query}`, {
        token,
        body: { data: { type: 'users', attributes: { fullName: 'Ola', email: 'o@example.com' } } },
      })
      expect(answer.status).toBe(400)
      expect(answer.document.errors).toMatchObject([
        { code: 'UNEXPECTED_PARAMETER', source: { parameter: query.split('=')[0] } },
      ])
    },
  )

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
    { path: '/users/1?include=placeOfBirth', holds: ['countries/US'] },
    { path: '/users/5?include=relatives', holds: ['users/1'] },
    { path: '/users/5?include=relatives,placeOfBirth', holds: ['countries/US', 'users/1'] },
    { path: '/users/3?include=citizenships,placeOfBirth', holds: ['countries/NO'] },
    {
      path: '/users/5?include=placeOfBirth.currencies',
      holds: ['countries/US', 'currencies/USD'],
    },
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
      path: '/countries/NO/relationships/currencies?include=currencies',
      holds: ['currencies/NOK'],
    },
    {
      path: '/users/1/relationships/placeOfBirth?include=placeOfBirth.currencies',
      holds: ['countries/US', 'currencies/USD'],
    },
    {
      path: '/users/5/relationships/relatives?include=relatives.placeOfBirth.currencies',
      holds: ['countries/US', 'currencies/USD', 'users/1'],
    },
    {
      path: '/users/5/relationships/relatives?include=relatives.relatives',
      holds: ['users/1', 'users/2', 'users/3', 'users/4', 'users/5'],
    },
    {
      path: '/users/4/relationships/citizenships?include=citizenships',
      holds: ['countries/FI', 'countries/NO'],
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
    { path: '/users/1', unknown: 'relatives.', allowed: [] },
    { path: '/users/1', unknown: 'Relatives', allowed: [] },
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

  it('takes 10 items and no more (contract, section 6)', async () => {
    const paths = [
      'citizenships',
      'citizenships.currencies',
      'placeOfBirth',
      'placeOfBirth.currencies',
      'relatives',
      'relatives.citizenships',
      'relatives.citizenships.currencies',
      'relatives.placeOfBirth',
      'relatives.relatives',
      'relatives.relatives.relatives',
    ]
    const { token } = await uniquePerson()
    expect((await get(`/users/1?include=${paths}`, token)).status).toBe(200)
    const answer = await get(`/users/1?include=${paths},relatives.relatives.citizenships`, token)
    expect(answer.status).toBe(400)
    expect(answer.document.errors).toMatchObject([
      { code: 'VALUE_INVALID_FORMAT', source: { parameter: 'include' } },
    ])
  })
})

describe('a resource that does not exist (contract, section 5)', () => {
  it.each([
    '/countries/XX',
    '/countries/no',
    '/countries/XX/relationships/currencies',
    '/users/nobody',
    '/users/nobody/relationships/citizenships',
    '/users/nobody/relationships/placeOfBirth',
    '/users/nobody/relationships/relatives',
  ])('is answered with 404: %s', async (path) => {
    const { status, document } = await get(path, await reader())
    expect(status).toBe(404)
    expect(document.errors).toMatchObject([{ code: 'NOT_FOUND', source: { path: 'id' } }])
  })
})
