import { describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { createUser } from '../../support/people.ts'
import { database, get, person, request, uniquePerson } from '../../support/service.ts'
import { atomicType, transact } from '../../support/transactions.ts'
import { add, remove, rename } from '../api/writes/operations.ts'
import { allScopes } from '../api/writes/writers.ts'

const newKey = () => crypto.randomUUID()

/** Sends operations as one transaction, with a key. */
const keyed = (token: string, key: string, operations: unknown) =>
  transact(token, operations, { headers: { 'idempotency-key': key } })

/** A conflict at the header. */
const atKey = { code: 'CONFLICT', source: { header: 'Idempotency-Key' } }

async function usersOf(owner: string) {
  const rows = await database().query('SELECT id FROM users WHERE owner = ?1 ORDER BY id', owner)
  return rows.map(({ id }) => String(id))
}

describe('POST /operations with an Idempotency-Key (contract, sections 12 and 13)', () => {
  it('sent again, writes nothing, is answered alike, and is marked as replayed', async () => {
    const { id, owner, token } = await createUser()
    const [key, operations] = [newKey(), [add(), rename(id, 'One'), add()]]
    const first = await keyed(token, key, operations)
    const users = await usersOf(owner)
    const tag = (await get(`/users/${id}`, token)).headers.etag
    const second = await keyed(token, key, operations)

    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(second.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'content-type': atomicType,
      'cache-control': first.headers['cache-control'],
    })
    expect(second.document).toEqual(first.document)
    expect(await usersOf(owner)).toEqual(users)
    expect((await get(`/users/${id}`, token)).headers.etag).toBe(tag)
  })

  it('takes one round trip and two when it is sent again, at the same price', async () => {
    const { token } = await uniquePerson(allScopes)
    const [key, operations] = [newKey(), [add(), add()]]
    for (const roundTrips of [1, 2]) {
      const answer = await keyed(token, key, operations)
      expect(await lineAbout(answer)).toMatchObject({ roundTrips })
      expect(answer.headers['x-ratelimit-requested-tokens']).toBe('10')
    }
  })

  it('shows users as they are now, by what the token of this request may see, and {} for one that is gone', async () => {
    const { owner, token } = await createUser()
    const [key, operations] = [newKey(), [add(), add()]]
    const results = (await keyed(token, key, operations)).document['atomic:results'] ?? []
    const [gone = '', changed = ''] = results.map(({ data }) => data?.id ?? '')
    expect((await transact(token, [remove(gone), rename(changed, 'Later')])).status).toBe(200)

    const [none, one] = (await keyed(token, key, operations)).document['atomic:results'] ?? []
    expect(none).toEqual({})
    expect(one).toMatchObject({ data: { id: changed, attributes: { fullName: 'Later' } } })

    const blind = await keyed(await person(owner, 'users.write'), key, operations)
    expect(blind.document['atomic:results']?.[1]?.data).not.toHaveProperty('attributes')
  })

  it('is judged no further when it is sent again: what it removed is gone, and no error', async () => {
    const { id, token } = await createUser()
    const [key, operations] = [newKey(), [rename(id, 'Last'), remove(id)]]
    await keyed(token, key, operations)
    const again = await keyed(token, key, operations)

    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(again.document['atomic:results']).toEqual([{}, {}])
  })

  it('answers 409 at the header where the operations are others, and writes nothing', async () => {
    const { id, owner, token } = await createUser()
    const key = newKey()
    await keyed(token, key, [rename(id, 'One')])
    const answer = await keyed(token, key, [add()])

    expect(answer.status).toBe(409)
    expect(answer.document.errors).toMatchObject([atKey])
    expect(await usersOf(owner)).toEqual([id])
  })

  it('answers 409 at the header where the key has created a user by POST /users', async () => {
    const { token } = await uniquePerson(allScopes)
    const [key, { data }] = [newKey(), add()]
    const headers = { 'idempotency-key': key }
    expect(
      (await request('POST', '/jsonapi/users', { token, body: { data }, headers })).status,
    ).toBe(201)
    const answer = await keyed(token, key, [{ op: 'add', data }])

    expect(answer.status).toBe(409)
    expect(answer.document.errors).toMatchObject([atKey])
  })

  it('stores nothing where it fails, a single operation too, and may be sent again', async () => {
    const { id, owner, token } = await createUser()
    const key = newKey()
    expect((await keyed(token, key, [remove('nobody')])).status).toBe(404)
    expect((await keyed(token, key, [add(), remove('1')])).status).toBe(403)
    expect(await usersOf(owner)).toEqual([id])
    const answer = await keyed(token, key, [rename(id, 'New')])

    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('idempotency-replayed')
  })

  it('sent ten times at once, is done once', async () => {
    const { owner, token } = await createUser()
    const [key, operations] = [newKey(), [add()]]
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => keyed(token, key, operations)),
    )
    const ids = answers.map(({ document }) => document['atomic:results']?.[0]?.data?.id)

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(ids).size).toBe(1)
    expect(answers.filter(({ headers }) => !('idempotency-replayed' in headers))).toHaveLength(1)
    expect(await usersOf(owner)).toHaveLength(2)
  })

  it.each(['a b', '""', 'k'.repeat(256), '"a'])(
    'is a 400 at the header for a key that is none: %j',
    async (key) => {
      const { token } = await uniquePerson(allScopes)
      const answer = await keyed(token, key, [add()])

      expect(answer.status).toBe(400)
      expect(answer.document.errors).toMatchObject([
        { code: 'VALUE_INVALID_FORMAT', source: { header: 'Idempotency-Key' } },
      ])
    },
  )
})
