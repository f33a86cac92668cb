import { beforeAll, describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { describeOnD1 } from '../../support/of-d1.ts'
import {
  createUser,
  insertUsers,
  type OwnUser,
  toBrothers,
  toCountries,
} from '../../support/people.ts'
import { type BackDoor, get, uniquePerson, variant } from '../../support/service.ts'

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

/** How often the request asked D1, and how many rows it read, as the log tells. */
async function costOf(path: string, token: string, at?: BackDoor) {
  const options = at && { origin: at.origin }
  const answer = await get(path, token, options)
  const { roundTrips, rowsRead } = await lineAbout(answer, at?.logs)
  return { status: answer.status, roundTrips, rowsRead: rowsRead as number }
}

describe('a read asks D1 at most once, and once more for each further level of include', () => {
  it.each([
    { path: '/countries', roundTrips: 0, why: 'reference data are in memory' },
    {
      path: '/countries?include=currencies&filter[region]=Europe',
      roundTrips: 0,
      why: 'so are theirs',
    },
    { path: '/countries/NO?include=currencies', roundTrips: 0, why: 'one by one, too' },
    { path: '/countries/NO/relationships/currencies', roundTrips: 0, why: 'and their linkage' },
    { path: '/currencies', roundTrips: 0, why: 'reference data are in memory' },
    { path: '/users', roundTrips: 1, why: 'a page, its linkage and its total' },
    { path: '/users?sort=-fullName,email', roundTrips: 1, why: 'in any order' },
    {
      path: '/users?include=citizenships,placeOfBirth,relatives',
      roundTrips: 1,
      why: 'first-level includes come along',
    },
    {
      path: '/users/{id}?include=citizenships,placeOfBirth,relatives',
      roundTrips: 1,
      why: 'here, too',
    },
    {
      path: '/users/{id}?include=citizenships.currencies,placeOfBirth.currencies',
      roundTrips: 1,
      why: 'deeper ones that are in memory cost nothing',
    },
    {
      path: '/users/{id}?include=relatives.relatives',
      roundTrips: 2,
      why: 'one more for a second level',
    },
    {
      path: '/users/{id}?include=relatives.relatives,relatives.citizenships',
      roundTrips: 2,
      why: 'whatever is on it',
    },
    {
      path: '/users/{id}?include=relatives.relatives.citizenships.currencies'.replace(
        '.currencies',
        '',
      ),
      roundTrips: 2,
      why: 'what is in memory ends a path for nothing',
    },
    {
      path: '/users/{id}/relationships/relatives?include=relatives',
      roundTrips: 1,
      why: 'members come along',
    },
    {
      path: '/users/{id}/relationships/relatives?include=relatives.relatives',
      roundTrips: 2,
      why: 'one more for theirs',
    },
    {
      path: '/users/{id}/relationships/placeOfBirth?include=placeOfBirth.currencies',
      roundTrips: 1,
      why: 'a to-one, likewise',
    },
    { path: '/users/nobody', roundTrips: 1, why: 'to find nothing' },
    {
      path: '/users?include=friends',
      roundTrips: undefined,
      why: 'what is invalid never gets there',
    },
  ])('GET $path takes $roundTrips round trips, since $why', async ({ path, roundTrips }) => {
    const { token } = await uniquePerson()
    expect((await costOf(path.replace('{id}', user.id), token)).roundTrips).toBe(roundTrips)
  })

  it('three levels of users take three round trips', async () => {
    const { token } = await uniquePerson()
    const path = `/users/1?include=relatives.relatives.relatives`
    expect((await costOf(path, token)).roundTrips).toBeLessThanOrEqual(3)
  })
})

describeOnD1('rowsTold')('the rows that a page reads (contract, section 7)', () => {
  const people = 2_000
  let own: BackDoor

  beforeAll(async () => {
    own = await variant({ RATE_LIMIT_BURST_CAPACITY: '1000', RATE_LIMIT_REPLENISH_RATE: '1000' })
    await insertUsers(
      own,
      Array.from({ length: people }, (_, index) => ({
        id: `row-${String(index).padStart(5, '0')}`,
        fullName: `Name ${index % 7}`,
        email: `${(index * 7919) % people}@rows.example`,
      })),
    )
  })

  it.each(['', 'fullName', '-fullName', 'email', '-email', 'fullName,-email'])(
    'are equally many wherever a page by cursor begins, and the total costs one: sort "%s"',
    async (sort) => {
      const { token } = await uniquePerson()
      const query = `page[limit]=10${sort && `&sort=${sort}`}`
      const first = await costOf(`/users?${query}`, token, own)
      const deep = await get(`/users?${query}&page[offset]=1500`, token, { origin: own.origin })
      const cursor = deep.document.meta?.['pagination.nextCursor']
      const page = await costOf(`/users?${query}&page[cursor]=${cursor}`, token, own)
      expect(first.rowsRead).toBeGreaterThan(0)
      expect(first.rowsRead).toBeLessThan(150)
      expect(page.rowsRead).toBeLessThan(150)
    },
  )

  it('are one or two for an offset past the end, however far', async () => {
    const { token } = await uniquePerson('users.read')
    for (const offset of [2_500, Number.MAX_SAFE_INTEGER]) {
      const path = `/users?sort=fullName&page[offset]=${offset}`
      expect((await costOf(path, token, own)).rowsRead).toBeLessThan(5)
    }
  })

  it('grow with what is found, not with the table: an id, a filter, a linkage', async () => {
    const { token } = await uniquePerson()
    for (const path of [
      '/users/row-00007',
      '/users?filter[id]=row-00001,row-00002',
      '/users/row-00007/relationships/relatives',
    ]) {
      expect((await costOf(path, token, own)).rowsRead).toBeLessThan(50)
    }
  })
})
