import { expect, it } from 'vitest'
import { linesWith } from '../../../support/log.ts'
import { newUser, userOf, type Writer, writer } from '../../../support/people.ts'
import {
  type Answer,
  type BackDoor,
  configuredService,
  database,
  get,
  type RequestOptions,
  request,
} from '../../../support/service.ts'
import { add, atomicType, remove, rename, transact } from '../../../support/transactions.ts'

/** A key that nobody has used, as a header. */
const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })

function create(options: RequestOptions, path = '/users'): Promise<Answer> {
  return request('POST', `/jsonapi${path}`, { body: newUser(), ...options })
}

async function usersOf({ sub }: Writer, at: Pick<BackDoor, 'query'> = database) {
  const rows = await at.query('SELECT id FROM users WHERE owner = ?1 ORDER BY id', sub)
  return rows.map(({ id }) => String(id))
}

/** A conflict at the header. */
const atKey = ['409 CONFLICT header Idempotency-Key']

it('A key stands for the query, the operation and the order of members, too: with another one, the same body is refused, but not before If-Match', async () => {
  const { token } = await writer()
  const [headers, body] = [newKey(), newUser()]
  const first = await create({ token, headers, body })
  const query = await create({ token, headers, body }, '/users?fields[users]=email')
  const transaction = await transact(token, [{ op: 'add', ...body }], { headers })
  const turned = { data: Object.fromEntries(Object.entries(body.data).reverse()) }
  const order = await create({ token, headers, body: turned })
  const faults = [query, transaction, order].map((answer) => answer.faults)
  expect([first.status, ...faults]).toEqual([201, atKey, atKey, atKey])
  const stale = { ...headers, 'if-match': '"r.d"' }
  expect((await create({ token, headers: stale, body })).status).toBe(412)
})

it('A create that is sent again with its key makes nothing, and shows the user as it is now; where that is gone, it is a 409 at the header', async () => {
  const me = await writer()
  const [headers, body] = [newKey(), newUser()]
  const first = await create({ token: me.token, headers, body })
  const { id } = first.document.data
  await transact(me.token, [rename(id, 'Renamed')])
  const second = await create({ token: me.token, headers, body })
  expect(first.headers).not.toHaveProperty('idempotency-replayed')
  expect([second.status, second.headers['idempotency-replayed']]).toEqual([201, 'true'])
  expect(second.headers.location).toBe(first.headers.location)
  expect(second.document.data).toMatchObject({ id, attributes: { fullName: 'Renamed' } })
  expect(await usersOf(me)).toEqual([id])
  await request('DELETE', `/jsonapi/users/${id}`, { token: me.token })
  expect((await create({ token: me.token, headers, body })).faults).toEqual(atKey)
})

it('A key is its caller’s: two people of one issuer may use the same', async () => {
  const [me, other] = [await writer(), await writer()]
  const [headers, body] = [newKey(), newUser()]
  const first = await create({ token: me.token, headers, body })
  const second = await create({ token: other.token, headers })
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.headers).not.toHaveProperty('idempotency-replayed')
  expect(await usersOf(other)).toEqual([second.document.data.id])
  expect(await usersOf(me)).toEqual([first.document.data.id])
})

it('A key of more than 24 hours is new, for another body, too, and one of less is not', async () => {
  const me = await writer()
  const headers = newKey()
  const age = (milliseconds: number) =>
    database.query(
      'UPDATE idempotency_keys SET at = at - ?2 WHERE created = (SELECT max(id) FROM users WHERE owner = ?1)',
      me.sub,
      milliseconds,
    )
  expect((await create({ token: me.token, headers })).status).toBe(201)
  await age(24 * 60 * 60_000 - 60_000)
  expect((await create({ token: me.token, headers })).faults).toEqual(atKey)
  await age(60_000)
  const { status, headers: answered } = await create({ token: me.token, headers })
  expect([status, answered['idempotency-replayed']]).toEqual([201, undefined])
  expect(await usersOf(me)).toHaveLength(2)
})

it.each<[what: string, operations: (id: string) => object[]]>([
  ['adds nothing', (id) => [rename(id, 'One')]],
  ['removes a user', (id) => [remove(id)]],
])(
  'A transaction that %s is marked as replayed, too, and has an empty result',
  async (_, operations) => {
    const me = await writer()
    const [headers, sent] = [newKey(), operations(await userOf(me))]
    const first = await transact(me.token, sent, { headers })
    const second = await transact(me.token, sent, { headers })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.document['atomic:results']).toEqual([{}])
  },
)

it('A transaction that is sent again with its key writes nothing, is answered alike, and is marked as replayed; a user who is gone is an empty object', async () => {
  const me = await writer()
  const id = await userOf(me)
  const [headers, operations] = [newKey(), [add(), rename(id, 'One'), add()]]
  const first = await transact(me.token, operations, { headers })
  const users = await usersOf(me)
  const tag = (await get(`/users/${id}`, me.token)).headers.etag
  const second = await transact(me.token, operations, { headers })

  expect([first.status, second.status]).toEqual([200, 200])
  expect(first.headers).not.toHaveProperty('idempotency-replayed')
  expect(second.headers).toMatchObject({
    'idempotency-replayed': 'true',
    'content-type': atomicType,
    'cache-control': first.headers['cache-control'],
  })
  expect(second.document).toEqual(first.document)
  expect(await usersOf(me)).toEqual(users)
  expect((await get(`/users/${id}`, me.token)).headers.etag).toBe(tag)
  const [gone, , stays] = (first.document['atomic:results'] ?? []).map(({ data }) => data?.id)
  await request('DELETE', `/jsonapi/users/${gone}`, { token: me.token })
  const { document } = await transact(me.token, operations, { headers })
  expect(document['atomic:results']).toMatchObject([{}, {}, { data: { id: stays } }])
  expect(document['atomic:results']?.[0]).toEqual({})
})

it('Twenty creates with one key at the same time leave one user: one writes, the others are its replay', async () => {
  const service = await configuredService()
  const me = await writer()
  const [headers, body] = [newKey(), newUser()]
  const options = { token: me.token, headers, body, origin: service.origin }
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(options)))

  const [id, ...others] = await usersOf(me, service)
  expect(others).toEqual([])
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(new Set(answers.map(({ document }) => document.data.id))).toEqual(new Set([id]))
  const written = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)
  expect(written).toHaveLength(1)
})

it('Keys of more than 24 hours are removed by the scheduled run, which tells the log; younger ones stay', async () => {
  const { token } = await writer()
  const { query, runSchedule } = database
  const day = 24 * 60 * 60_000
  /** A create with a key of an age. */
  const aged = async (milliseconds: number): Promise<string> => {
    const { id } = (await create({ token, headers: newKey() })).document.data
    await query('UPDATE idempotency_keys SET at = at - ?2 WHERE created = ?1', id, milliseconds)
    return id
  }
  const [old, young] = [await aged(day), await aged(day - 60_000)]
  const keysOf = (id: string) => query('SELECT 1 FROM idempotency_keys WHERE created = ?1', id)

  expect(await runSchedule()).toBe('ok')
  expect(await keysOf(old)).toEqual([])
  expect(await keysOf(young)).toHaveLength(1)
  const [line = ''] = await linesWith('old keys removed')
  const { removed, left, bytes } = JSON.parse(line)
  expect([removed > 0, left, bytes > 4_096]).toEqual([true, false, true])
})
