import { describe, expect, it } from 'vitest'
import { createUser } from '../../support/people.ts'
import { database, get, request, uniquePerson } from '../../support/service.ts'
import { atomicType, transact } from '../../support/transactions.ts'
import { add, rename } from '../api/writes/operations.ts'
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

describe('POST /operations with an Idempotency-Key', () => {
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
})
