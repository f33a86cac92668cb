import { expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { createUser, toBrothers, toCountries } from '../../support/people.ts'
import { get, uniquePerson } from '../../support/service.ts'

const relative = await createUser({ relationships: { citizenships: toCountries('FI') } })
const between = await createUser({
  relationships: { relatives: toBrothers(relative.id), citizenships: toCountries('SE') },
})
const user = await createUser({
  relationships: {
    citizenships: toCountries('NO', 'SE'),
    placeOfBirth: { data: { type: 'countries', id: 'NO' } },
    relatives: toBrothers(between.id),
  },
})
// Reference data are in the isolate's memory from here on.
await get('/countries', user.token)

it.each([
  ['/countries?include=currencies&filter[region]=Europe', 0, 'reference data are in memory'],
  ['/countries/NO/relationships/currencies', 0, 'and their linkage'],
  ['/users?sort=-fullName,email', 1, 'a page, its linkage and its total'],
  ['/users?include=citizenships,placeOfBirth,relatives', 1, 'first-level includes come along'],
  [
    '/users/{id}?include=citizenships.currencies,placeOfBirth.currencies',
    1,
    'deeper ones that are in memory cost nothing',
  ],
  [
    '/users/{id}?include=relatives.relatives,relatives.citizenships',
    2,
    'one more for a second level',
  ],
  [
    '/users/{id}/relationships/relatives?include=relatives.relatives',
    2,
    'members come along, and one more for theirs',
  ],
  ['/users/nobody', 1, 'to find nothing'],
  ['/users?include=friends', undefined, 'what is invalid never gets there'],
])(
  'a read asks D1 at most once, and once more for each further level of include: GET %s takes %s round trips, since %s',
  async (path, roundTrips, _why) => {
    const { token } = await uniquePerson()
    const line = await lineAbout(await get(path.replace('{id}', user.id), token))
    expect(line.roundTrips).toBe(roundTrips)
  },
)
