import { beforeAll, describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { createUser, type OwnUser, toBrothers, toCountries } from '../../support/people.ts'
import { get, uniquePerson } from '../../support/service.ts'

let user: OwnUser

beforeAll(async () => {
  const relative = await createUser({ relationships: { citizenships: toCountries('FI') } })
  const between = await createUser({
    relationships: { relatives: toBrothers(relative.id), citizenships: toCountries('SE') },
  })
  user = await createUser({
    relationships: {
      citizenships: toCountries('NO', 'SE'),
      placeOfBirth: { data: { type: 'countries', id: 'NO' } },
      relatives: toBrothers(between.id),
    },
  })
  // Reference data are in the isolate's memory from here on.
  await get('/countries', user.token)
})

describe('a read asks D1 at most once, and once more for each further level of include', () => {
  it.each([
    {
      path: '/countries?include=currencies&filter[region]=Europe',
      roundTrips: 0,
      why: 'reference data are in memory',
    },
    { path: '/countries/NO/relationships/currencies', roundTrips: 0, why: 'and their linkage' },
    {
      path: '/users?sort=-fullName,email',
      roundTrips: 1,
      why: 'a page, its linkage and its total',
    },
    {
      path: '/users?include=citizenships,placeOfBirth,relatives',
      roundTrips: 1,
      why: 'first-level includes come along',
    },
    {
      path: '/users/{id}?include=citizenships.currencies,placeOfBirth.currencies',
      roundTrips: 1,
      why: 'deeper ones that are in memory cost nothing',
    },
    {
      path: '/users/{id}?include=relatives.relatives,relatives.citizenships',
      roundTrips: 2,
      why: 'one more for a second level, whatever is on it',
    },
    {
      path: '/users/{id}/relationships/relatives?include=relatives.relatives',
      roundTrips: 2,
      why: 'members come along, and one more for theirs',
    },
    { path: '/users/nobody', roundTrips: 1, why: 'to find nothing' },
    {
      path: '/users?include=friends',
      roundTrips: undefined,
      why: 'what is invalid never gets there',
    },
  ])('GET $path takes $roundTrips round trips, since $why', async ({ path, roundTrips }) => {
    const { token } = await uniquePerson()
    const line = await lineAbout(await get(path.replace('{id}', user.id), token))
    expect(line.roundTrips).toBe(roundTrips)
  })
})
