import { beforeAll, describe, expect, it } from 'vitest'
import { lineAbout } from '../../../support/log.ts'
import { changeUsers } from '../../../support/people.ts'
import {
  type Answer,
  type BackDoor,
  database,
  logs,
  person,
  request,
  variant,
} from '../../../support/service.ts'
import { change, newUser, send, type Writer, writer } from './writers.ts'

/** Sends a create with a key. */
function create(
  { token }: Pick<Writer, 'token'>,
  key: string,
  body: unknown = newUser(),
  { path = '/users', origin }: { readonly path?: string; readonly origin?: string } = {},
): Promise<Answer> {
  const headers = { 'idempotency-key': key }
  return request('POST', `/jsonapi${path}`, { token, body, headers, ...(origin && { origin }) })
}

/** A conflict at the header. */
const atKey = { code: 'CONFLICT', source: { header: 'Idempotency-Key' } }

const newKey = () => crypto.randomUUID()

async function usersOf({ sub }: Writer, at: Pick<BackDoor, 'query'> = database()) {
  const rows = await at.query('SELECT id FROM users WHERE owner = ?1', sub)
  return rows.map(({ id }) => String(id))
}

describe('POST /users with an Idempotency-Key (contract, section 12)', () => {
  it('sent again, writes nothing and is answered alike, marked as replayed', async () => {
    const me = await writer()
    const [key, body] = [
      newKey(),
      newUser({ attributes: { creditCardNumber: '4242424242424242' } }),
    ]
    const first = await create(me, key, body)
    const second = await create(me, key, body)

    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.document).toEqual(first.document)
    expect(second.headers.location).toBe(first.headers.location)
    expect(second.headers['cache-control']).toBe('private, no-store')
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(await usersOf(me)).toEqual([first.document.data.id])
  })

  it('takes one round trip, and two when it is sent again', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const lines = []
    for (let nth = 0; nth < 2; nth++) {
      lines.push(await lineAbout(await create(me, key, body)))
    }

    expect(lines.map(({ roundTrips }) => roundTrips)).toEqual([1, 2])
    expect(lines[0]?.resource).toMatch(/^[0-9a-f-]{36}$/)
    expect(lines[1]?.resource).toBe(lines[0]?.resource)
  })

  it('is the same request with quotes around the key and other white space in the body', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const { document } = await create(me, key, body)
    const again = await create(me, `"${key}"`, JSON.stringify(body, null, 2))

    expect(again.status).toBe(201)
    expect(again.document).toEqual(document)
  })

  it('shows the user as it is now, by what the token of this request may see', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const { id } = (await create(me, key, body)).document.data
    await send('PATCH', `/users/${id}`, me, change(id, { attributes: { fullName: 'Ann Cee' } }))
    const again = await create(me, key, body)
    expect(again.document.data.attributes.fullName).toBe('Ann Cee')

    const writing = { token: await person(me.sub, 'users.write') }
    expect((await create(writing, key, body)).document.data).not.toHaveProperty('attributes')
  })

  it('answers 409 where the user is gone, and creates none', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const { id } = (await create(me, key, body)).document.data
    await send('DELETE', `/users/${id}`, me)
    const again = await create(me, key, body)

    expect(again.status).toBe(409)
    expect(again.document.errors).toMatchObject([atKey])
    expect(await usersOf(me)).toEqual([])
  })

  it.each<[string, other: () => unknown, path: string]>([
    ['body', () => newUser(), '/users'],
    ['query', () => undefined, '/users?fields[users]=email'],
  ])('answers 409 at the header where the %s is another one', async (_, other, path) => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    await create(me, key, body)
    const answer = await create(me, key, other() ?? body, { path })

    expect(answer.status).toBe(409)
    expect(answer.document.errors).toMatchObject([atKey])
    expect(await usersOf(me)).toHaveLength(1)
  })

  it('tells the keys of one caller from those of another', async () => {
    const [me, you] = [await writer(), await writer()]
    const key = newKey()
    const answers = [await create(me, key), await create(you, key)]

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await usersOf(you)).toEqual([answers[1]?.document.data.id])
  })

  it('may be sent again after a failure, of which nothing is stored', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const taken = await send('POST', '/users', await writer(), body)
    expect((await create(me, key, body)).status).toBe(409)
    await changeUsers(database(), 'DELETE FROM users WHERE id = ?1', taken.document.data.id)
    const made = await create(me, key, body)

    expect(made.status).toBe(201)
    expect(made.headers).not.toHaveProperty('idempotency-replayed')
  })

  it('is refused before its key is looked at where the token does not allow it', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    await create(me, key, body)
    const reader = { token: await person(me.sub, 'users.read') }

    expect((await create(reader, key, body)).status).toBe(403)
  })

  it.each([
    ['is empty between its quotes', '""'],
    ['is too long', 'k'.repeat(256)],
    ['has a space', 'a b'],
    ['has an open quote', '"a'],
  ])('answers 400 at the header where the key %s, beside all other faults', async (_, key) => {
    const body = newUser({ attributes: { email: 'ann' } })
    const answer = await create(await writer(), key, body, { path: '/users?fields[users]=age' })

    expect(answer.status).toBe(400)
    expect(answer.document.errors?.map(({ code, source }) => [code, source])).toEqual(
      expect.arrayContaining([
        ['VALUE_INVALID_FORMAT', { header: 'Idempotency-Key' }],
        ['INVALID_ENUM_VALUE', { parameter: 'fields[users]' }],
        ['VALUE_INVALID_FORMAT', { pointer: '/data/attributes/email' }],
      ]),
    )
  })
})

describe('keys at the same time', () => {
  let service: BackDoor
  beforeAll(async () => {
    service = await variant({ RATE_LIMIT_WRITE_COST: '1' })
  })

  it('forty creates with one key leave one user: one writes, the others are its replay', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const { origin } = service
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => create(me, key, body, { origin })),
    )

    const [id, ...others] = await usersOf(me, service)
    expect(others).toEqual([])
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201))
    expect(new Set(answers.map(({ document }) => document.data.id))).toEqual(new Set([id]))
    const written = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)
    expect(written).toHaveLength(1)
  })
})

describe('keys of more than 24 hours (contract, section 12)', () => {
  /** Makes the keys of a caller older. */
  const age = (id: string, milliseconds: number) =>
    database().query(
      'UPDATE idempotency_keys SET at = at - ?2 WHERE created = ?1',
      id,
      milliseconds,
    )
  const keysOf = (id: string) =>
    database().query('SELECT 1 FROM idempotency_keys WHERE created = ?1', id)
  const day = 24 * 60 * 60_000

  it('count as absent while their rows are still there', async () => {
    const me = await writer()
    const key = newKey()
    const { id } = (await create(me, key)).document.data
    await age(id, day)
    const made = await create(me, key)

    expect(made.status).toBe(201)
    expect(made.headers).not.toHaveProperty('idempotency-replayed')
    expect(await usersOf(me)).toHaveLength(2)
    expect(await keysOf(id)).toEqual([])
  })

  it('are removed by the scheduled run, which tells the log; younger ones stay', async () => {
    const me = await writer()
    const [old, young] = [
      (await create(me, newKey())).document.data.id,
      (await create(me, newKey())).document.data.id,
    ]
    await age(old, day)
    await age(young, day - 60_000)

    expect(await database().runSchedule()).toBe('ok')
    expect(await keysOf(old)).toEqual([])
    expect(await keysOf(young)).toHaveLength(1)
    const lines = (await logs()).filter((line) => line.includes('old keys removed'))
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      event: 'old keys removed',
      removed: expect.any(Number),
      steps: 1,
      left: false,
      bytes: expect.any(Number),
      ms: expect.any(Number),
    })
    expect(JSON.parse(lines[0] ?? '').bytes).toBeGreaterThan(4_096)
  })
})
