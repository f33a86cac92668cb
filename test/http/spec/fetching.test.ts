import { expect, it } from 'vitest'
import { get, reader } from '../../support/service.ts'

const ofCountries = 'include fields[countries] fields[currencies]'
const ofUsers = `${ofCountries} fields[users]`

/** Each read, with the parameters that it takes. */
const reads = {
  '/countries': `${ofCountries} page[cursor] filter[id] filter[region]`,
  '/countries/NO': ofCountries,
  '/countries/NO/relationships/currencies': `${ofCountries} page[cursor] filter[id]`,
  '/countries/NO/currencies': 'fields[currencies] page[cursor] filter[id]',
  '/currencies': 'fields[currencies] page[cursor] filter[id]',
  '/users': `${ofUsers} page[cursor] page[limit] page[offset] sort filter[id]`,
  '/users/1': ofUsers,
  '/users/1/relationships/citizenships': `${ofUsers} page[cursor] filter[id] filter[region]`,
  '/users/1/citizenships': `${ofCountries} page[cursor] filter[id] filter[region]`,
  '/users/1/relationships/placeOfBirth': ofUsers,
  '/users/1/placeOfBirth': ofCountries,
  '/users/1/relationships/relatives': `${ofUsers} page[cursor] sort filter[id]`,
  '/users/1/relatives': `${ofUsers} page[cursor] page[limit] sort filter[id]`,
}

/** Every parameter that some read takes. */
const known = [...new Set(Object.values(reads).flatMap((names) => names.split(' ')))]

it.each(Object.entries(reads))(
  'GET %s takes %s, and no parameter of others',
  async (path, names) => {
    const taken = names.split(' ')
    const others = known.filter((name) => !taken.includes(name))
    const query = new URLSearchParams(known.map((name) => [name, '!']))
    const { document } = await get(`${path}?${query}`, await reader())
    const refused = document.errors?.flatMap(({ code, detail, source }) =>
      code === 'UNEXPECTED_PARAMETER' || detail?.startsWith(`"${source?.parameter}"`)
        ? [source?.parameter]
        : [],
    )
    expect(refused?.toSorted()).toEqual(others.toSorted())
  },
)

it('include refuses what a relationship does not lead to, and lists what is allowed', async () => {
  const path = '/users/1/relationships/placeOfBirth?include=currencies'
  const answer = await get(path, await reader())
  expect(answer.faults).toEqual(['400 INVALID_ENUM_VALUE parameter include'])
  expect(answer.document.errors?.[0]?.detail).toContain('placeOfBirth.currencies')
})
