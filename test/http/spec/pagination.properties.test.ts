import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { changeUsers, deleteUsers, insertUsers, type UserRow } from '../../support/people.ts'
import { type Answer, type BackDoor, reader, request, variant } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

/** A Worker that only this file uses: no other test adds or deletes users there, and walks are not throttled. */
let own: BackDoor
let token: string

beforeAll(async () => {
  own = await variant({
    RATE_LIMIT_BURST_CAPACITY: '1000000',
    RATE_LIMIT_REPLENISH_RATE: '1000000',
  })
  token = await reader()
})

const sorts = ['', 'fullName', '-fullName', 'email', 'fullName,-email', '-fullName,email']

/** Names from a few letters, so that many are equal but for their case. */
const people = (most: number) =>
  fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[0-9a-z]{1,4}$/),
      fullName: fc.stringMatching(/^[aAbBé]{1,2}$/),
    }),
    { selector: ({ id }) => id, maxLength: most },
  )

const rowOf = ({ id, fullName }: Omit<UserRow, 'email'>): UserRow => ({
  id,
  fullName,
  email: `${id}@walk.example`,
})

async function startWith(rows: readonly UserRow[]): Promise<void> {
  await changeUsers(own, 'DELETE FROM users')
  await insertUsers(own, rows)
}

const bytes = (text: string) => Buffer.from(text)

/** The whole collection as the sort wants it. */
function inOrder(rows: readonly UserRow[], sort: string): readonly string[] {
  const keys = sort.split(',').filter(Boolean)
  return rows
    .toSorted((a, b) => {
      for (const key of keys) {
        const name = key.replace('-', '') as 'fullName' | 'email'
        const order = Buffer.compare(bytes(a[name].toLowerCase()), bytes(b[name].toLowerCase()))
        if (order !== 0) {
          return key.startsWith('-') ? -order : order
        }
      }
      return Buffer.compare(bytes(a.id), bytes(b.id))
    })
    .map(({ id }) => id)
}

/** Walks by cursor, every page of another size. */
async function walkBy(
  sort: string,
  sizes: readonly number[],
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const answers: Answer[] = []
  let cursor: unknown
  do {
    const query = new URLSearchParams({
      'page[limit]': String(sizes[answers.length % sizes.length]),
      ...(sort && { sort }),
      ...(cursor !== undefined && { 'page[cursor]': String(cursor) }),
    })
    const answer = await request('GET', `/jsonapi/users?${query}`, { token, origin: own.origin })
    answers.push(answer)
    cursor = answer.document.meta?.['pagination.nextCursor']
    if (cursor !== undefined) {
      await between(answers.length)
    }
  } while (cursor !== undefined)
  return idsOf(...answers)
}

describe('a walk over the pages of a list (contract, section 7)', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 })
  const sort = fc.constantFrom(...sorts)

  it('by cursor gives every row exactly once and in order, whatever the sort and the page sizes', async () => {
    await fc.assert(
      fc.asyncProperty(people(25), sort, sizes, async (drawn, by, limits) => {
        const rows = drawn.map(rowOf)
        await startWith(rows)
        expect(await walkBy(by, limits)).toEqual(inOrder(rows, by))
      }),
      { numRuns: 30 },
    )
  })

  it('by offset gives every row exactly once and in order, forwards and backwards', async () => {
    const limit = fc.integer({ min: 1, max: 30 })
    await fc.assert(
      fc.asyncProperty(people(20), sort, limit, async (drawn, by, size) => {
        const rows = drawn.map(rowOf)
        await startWith(rows)
        const path = `/jsonapi/users?page[limit]=${size}${by && `&sort=${by}`}`
        const forwards = await walk(path, { token, origin: own.origin })
        expect(idsOf(...forwards)).toEqual(inOrder(rows, by))
        for (const [index, { document }] of forwards.entries()) {
          expect(document.meta?.['pagination.totalItems']).toBe(rows.length)
          const before = forwards[index - 1]
          const previous = document.links?.prev
          expect(previous === null).toBe(before === undefined)
          if (previous && before) {
            const back = await request('GET', previous, { token, origin: own.origin })
            expect(idsOf(back)).toEqual(idsOf(before))
          }
        }
      }),
      { numRuns: 15 },
    )
  })

  it('by cursor neither repeats nor skips rows while others come and go', async () => {
    const change = fc.record({
      add: fc.constantFrom(true, false),
      id: fc.stringMatching(/^[0-9a-z]{5}$/),
      fullName: fc.stringMatching(/^[aAbBé]{1,2}$/),
    })
    const changes = fc.array(change, { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(people(20), changes, sort, sizes, async (drawn, steps, by, limits) => {
        const stay = drawn.map(rowOf)
        const come = steps.filter(({ add }, index) => add && isFirst(steps, index)).map(rowOf)
        const go = steps.filter(({ add }, index) => !add && isFirst(steps, index)).map(rowOf)
        await startWith([...stay, ...go])
        const found = await walkBy(by, limits, async (page) => {
          await insertUsers(own, come.slice(page - 1, page))
          await deleteUsers(
            own,
            go.slice(page - 1, page).map(({ id }) => id),
          )
        })
        expect(new Set(found).size).toBe(found.length)
        const stayed = new Set(stay.map(({ id }) => id))
        expect(found.filter((id) => stayed.has(id))).toEqual(inOrder(stay, by))
        const possible = new Set([...stay, ...come, ...go].map(({ id }) => id))
        expect(found.filter((id) => !possible.has(id))).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('goes on after a row that is gone', async () => {
    const rows = ['a', 'b', 'c', 'd'].map((id) => rowOf({ id, fullName: id }))
    await startWith(rows)
    const found = await walkBy('-fullName', [2], (page) =>
      page === 1 ? deleteUsers(own, ['c']) : Promise.resolve(),
    )
    expect(found).toEqual(['d', 'c', 'b', 'a'])
  })
})

/** Is this the first of the steps with its id? One id comes or goes once. */
function isFirst(steps: readonly { readonly id: string }[], index: number): boolean {
  return steps.findIndex(({ id }) => id === steps[index]?.id) === index
}

describe('a walk over the members of a to-many relationship', () => {
  it('gives every member that stays exactly once, while others come and go', async () => {
    await startWith([rowOf({ id: 'member', fullName: 'Member' })])
    const countries = await own.query('SELECT id FROM countries ORDER BY id')
    const all = countries.map(({ id }) => String(id))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...all), { minLength: 30, maxLength: 80 }),
        async (drawn) => {
          const [coming, going, staying] = [drawn.slice(0, 3), drawn.slice(3, 6), drawn.slice(6)]
          const add = (ids: readonly string[]) =>
            own.query(
              "INSERT INTO user_citizenships SELECT 'member', value FROM json_each(?1)",
              JSON.stringify(ids),
            )
          await own.query('DELETE FROM user_citizenships')
          await add([...going, ...staying])
          const path = '/jsonapi/users/member/relationships/citizenships'
          const pages = await walk(path, { token, origin: own.origin }, async (page) => {
            await add(coming.slice(page - 1, page))
            await own.query(
              'DELETE FROM user_citizenships WHERE country_id = ?1',
              going[page - 1] ?? '',
            )
          })
          const found = idsOf(...pages)
          expect(new Set(found).size).toBe(found.length)
          expect(found.filter((id) => staying.includes(id))).toEqual(staying.toSorted())
        },
      ),
      { numRuns: 20 },
    )
  })
})
