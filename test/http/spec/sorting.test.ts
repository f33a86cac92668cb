import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { change, createUser, insertUsers, send, type UserRow } from '../../support/people.ts'
import { clientToken, database, get, person, reader, uniqueSubject } from '../../support/service.ts'

/** Users of this file alone; names that differ by case and accents, that repeat, and beyond ASCII. */
const names = ['bo', 'Bo', 'ÅSE', 'ase', 'Ada', 'ada', 'Zoë', 'Ådá', 'Zoe\u0308', 'zoe', 'Øse']
const rows: readonly UserRow[] = names.map((fullName, index) => ({
  id: `sorted-${index}`,
  fullName,
  email: `${String.fromCharCode(index % 2 ? 65 + index : 122 - index)}@sorted.example`,
}))
const filter = `filter[id]=${rows.map(({ id }) => id)}`
await insertUsers(database, rows)

async function ids(query: string): Promise<readonly string[]> {
  const { document } = await get(`/users?${filter}${query}`, await reader())
  return document.data.map(({ id }: Resource) => id)
}

it.each([
  ['fullName', [4, 5, 7, 2, 3, 0, 1, 10, 6, 8, 9]],
  ['-fullName', [6, 8, 9, 10, 0, 1, 2, 3, 4, 5, 7]],
  ['fullName,-email', [4, 7, 5, 2, 3, 0, 1, 10, 6, 8, 9]],
  ['-email,fullName', [0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1]],
])('sort %s orders without case and accents, and by id what is equal', async (sort, order) => {
  expect(await ids(`&sort=${sort}`)).toEqual(order.map((nth) => `sorted-${nth}`))
})

/** A name of each of twenty languages, in the order that is promised. */
const ofLanguages = [
  ...['Æsa', 'Ágnes', 'Dagur', 'Đặng', 'Ðóra', 'Əli', 'Émile', 'Ħarun', 'Irma', 'Işıl', 'Łukasz'],
  ...['Œdipe', 'Ørjan', 'Szabó', 'Þór', 'Žiga', 'Άρης', 'Ёлка', 'रमा', 'राम'],
]

it('names of twenty languages sort by their letters, one that Unicode does not decompose by its base letters, and one of a script whose vowels are marks by these', async () => {
  const users = await Promise.all(
    ofLanguages.map((fullName) => createUser({ attributes: { fullName } })),
  )
  const made = `/users?filter[id]=${users.map(({ id }) => id)}`
  // A name that is changed sorts as it is now.
  const [first = expect.unreachable()] = users
  for (const fullName of ['Žofie', ofLanguages[0] ?? '']) {
    const body = change(first.id, { attributes: { fullName } })
    expect((await send('PATCH', `/users/${first.id}`, first, body)).status).toBe(204)
  }
  for (const [sort, names] of [
    ['fullName', ofLanguages],
    ['-fullName', ofLanguages.toReversed()],
  ] as const) {
    const { document } = await get(`${made}&sort=${sort}`, await reader())
    expect(document.data.map(({ attributes }: Resource) => attributes?.fullName)).toEqual(names)
  }
})

describe('sort by attributes that the caller may not read', () => {
  const callers = {
    client: () => clientToken(),
    person: () => person(uniqueSubject(), 'users.citizenships.read'),
  }

  it.each(Object.entries(callers))('by a %s is the order of ids', async (_, token) => {
    const inOrder = await get(`/users?${filter}`, await token())
    const { status, document } = await get(`/users?${filter}&sort=email,-fullName`, await token())

    expect(status).toBe(200)
    expect(document.data).toEqual(inOrder.document.data)
  })

  it('pages by the cursors of the order of ids, which no sorted list of a reader takes', async () => {
    const path = `/users?${filter}&page[limit]=3`
    const token = await clientToken()
    const cursorOf = async (query: string, by: string) =>
      (await get(`${path}${query}`, by)).document.meta?.['pagination.nextCursor']
    const cursor = await cursorOf('&sort=-email', token)

    expect(cursor).toBe(await cursorOf('', token))
    const next = await get(`${path}&sort=-email&page[cursor]=${cursor}`, token)
    expect(next.document.data).toEqual(
      (await get(`${path}&page[cursor]=${cursor}`, token)).document.data,
    )
    const by = await reader()
    const refused = [
      await get(`${path}&sort=-email&page[cursor]=${cursor}`, by),
      await get(`${path}&sort=-email&page[cursor]=${await cursorOf('&sort=-email', by)}`, token),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400])
  })
})
