import { describe, expect, it } from 'vitest'
import { allScopes, changeUsers, createUser, toBrothers } from '../../support/people.ts'
import { database, get, person, request, uniquePerson } from '../../support/service.ts'
import { transact } from '../../support/transactions.ts'
import { add, relatives, remove, rename } from '../api/writes/operations.ts'

const nameOf = async (id: string, token: string) =>
  (await get(`/users/${id}`, token)).document.data?.attributes?.fullName

describe('a transaction is all or nothing', () => {
  it.each([
    {
      what: '403 of a user of somebody else',
      last: async () => remove((await createUser()).id),
      fault: [403, 'INSUFFICIENT_ENTITLEMENTS', '/ref/id'],
    },
    {
      what: '404 of a target that an earlier operation has removed',
      last: async (id: string) => add(undefined, { relationships: { relatives: toBrothers(id) } }),
      before: (id: string) => remove(id),
      fault: [404, 'NOT_FOUND', '/data/relationships/relatives/data/0/id'],
    },
  ])(
    '$what is told of the first operation that has it, and undoes all before it',
    async ({ last, before, fault }) => {
      const { id, token } = await createUser()
      const other = await createUser()
      const stays = await person(other.owner, allScopes)
      const failing = await last(id)
      const operations = [
        add('new'),
        before?.(id) ?? rename(id, 'Changed'),
        failing,
        rename(other.id, 'X'),
      ]
      const answer = await transact(token, operations)
      const [status, code, below] = fault
      expect(answer.status).toBe(status)
      expect(answer.document.errors).toMatchObject([
        { code, source: { pointer: `/atomic:operations/2${below}` } },
      ])
      expect(await nameOf(id, token)).toBe('Ann Bee')
      expect(await nameOf(other.id, stays)).toBe('Ann Bee')
    },
  )

  const called = (lid: string) => ({ type: 'users', lid })

  it.each<[what: string, status: number, detail: RegExp, ...operations: object[]]>([
    [
      'is gone as a target of linkage',
      404,
      /^There is no resource of type users with the lid "b"\.$/,
      { op: 'remove', ref: called('b') },
      relatives('add', { lid: 'a' }, [{ ...called('b'), meta: { relationshipType: 'SON' } }]),
    ],
    [
      'is not the target',
      409,
      /^"lid" is "b", but the target has the lid "a"\.$/,
      { op: 'update', ref: called('a'), data: { ...called('b'), attributes: { fullName: 'X' } } },
    ],
  ])(
    'names a resource by the lid that the client knows where it %s',
    async (_, status, detail, ...operations) => {
      const { token } = await uniquePerson(allScopes)
      const answer = await transact(token, [add('a'), add('b'), ...operations])
      expect(answer.status).toBe(status)
      expect(answer.document.errors?.map((error) => error.detail)).toEqual([
        expect.stringMatching(detail),
      ])
    },
  )
})

describe('a transaction that deletes a user whom many others name', () => {
  /** A user whom so many others name as a relative. */
  async function named(times: number) {
    const user = await createUser()
    await changeUsers(
      database(),
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
       SELECT 'of-' || ?1 || '-' || i, 'crowd', 'C', 'c', 'of-' || ?1 || '-' || i, 'of-' || ?1 || '-' || i FROM n`,
      user.id,
      times,
    )
    await database().query(
      `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
       SELECT id, ?1, 'SON' FROM users WHERE id LIKE 'of-' || ?1 || '-%'`,
      user.id,
    )
    return user
  }

  it('is a 409 at that operation, which says to send a DELETE by itself, and that one is done', async () => {
    const { id, token } = await named(1_001)
    const first = await transact(token, [remove(id)])
    const second = await transact(token, [rename(id, 'Changed'), remove(id), rename('nobody', 'X')])
    for (const [answer, at] of [
      [first, 0],
      [second, 1],
    ] as const) {
      expect(answer.status).toBe(409)
      expect(answer.document.errors).toMatchObject([
        {
          code: 'CONFLICT',
          detail: expect.stringMatching(`more than 1000 .* Send DELETE /jsonapi/users/${id} `),
          source: { pointer: `/atomic:operations/${at}/ref/id` },
        },
      ])
    }
    expect(await nameOf(id, token)).toBe('Ann Bee')
    expect((await request('DELETE', `/jsonapi/users/${id}`, { token })).status).toBe(204)
  })
})
