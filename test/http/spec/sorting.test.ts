import { beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { insertUsers, type UserRow } from '../../support/people.ts'
import { client, database, get, person, reader, uniqueSubject } from '../../support/service.ts'

/** Users of this file alone; names that differ by case and accents, that repeat, and beyond ASCII. */
const names = ['bo', 'Bo', 'ÅSE', 'ase', 'Ada', 'ada', 'Zoë', 'Ådá', 'Zoe\u0308', 'zoe', 'Øse']
const rows: readonly UserRow[] = names.map((fullName, index) => ({
  id: `sorted-${index}`,
  fullName,
  email: `${String.fromCharCode(index % 2 ? 65 + index : 122 - index)}@sorted.example`,
}))
const filter = `filter[id]=${rows.map(({ id }) => id)}`

beforeAll(async () => insertUsers(database(), rows))

type Key = 'fullName' | 'email'

/** The letters of these names, without case and accents. */
const letters = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')

/** The order that a sort asks for: by the letters of the keys, then by id. */
function sorted(sort: string): readonly string[] {
  const keys = sort.split(',').map((item) => ({
    name: item.replace('-', '') as Key,
    sign: item.startsWith('-') ? -1 : 1,
  }))
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  return rows
    .toSorted((a, b) => {
      for (const { name, sign } of keys) {
        const order = sign * compare(letters(a[name]), letters(b[name]))
        if (order !== 0) {
          return order
        }
      }
      return compare(a.id, b.id)
    })
    .map(({ id }) => id)
}

async function ids(query: string): Promise<readonly string[]> {
  const { document } = await get(`/users?${filter}${query}`, await reader())
  return document.data.map(({ id }: Resource) => id)
}

describe('sort', () => {
  it.each(['fullName', '-fullName', 'fullName,-email', '-email,fullName'])(
    '%s orders without case and accents, and by id what is equal',
    async (sort) => {
      expect(await ids(`&sort=${sort}`)).toEqual(sorted(sort))
    },
  )
})

describe('sort by attributes that the caller may not read', () => {
  const callers = { client, person: () => person(uniqueSubject(), 'users.citizenships.read') }

  it.each(Object.entries(callers))('by a %s is the order of ids', async (_, token) => {
    const inOrder = await get(`/users?${filter}`, await token())
    const { status, document } = await get(`/users?${filter}&sort=email,-fullName`, await token())

    expect(status).toBe(200)
    expect(document.data).toEqual(inOrder.document.data)
  })

  it('pages by the cursors of the order of ids, which no sorted list of a reader takes', async () => {
    const path = `/users?${filter}&page[limit]=3`
    const token = await client()
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
