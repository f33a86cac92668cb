import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type BackDoor,
  configuredService,
  database,
  logs,
  request,
} from '../../../support/service.ts'
import { newUser, type Writer, writer } from './writers.ts'

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

const newKey = () => crypto.randomUUID()

async function usersOf({ sub }: Writer, at: Pick<BackDoor, 'query'> = database()) {
  const rows = await at.query('SELECT id FROM users WHERE owner = ?1', sub)
  return rows.map(({ id }) => String(id))
}

// That a key replays its create, and refuses another one, the random model shows (test/http/model).

it('a key stands for its query, too: with another one, the same body is refused', async () => {
  const me = await writer()
  const [key, body] = [newKey(), newUser()]
  const first = await create(me, key, body)
  const path = '/users?fields[users]=email'
  const { status, document } = await create(me, key, body, { path })
  expect([first.status, status]).toEqual([201, 409])
  expect(document.errors).toMatchObject([{ source: { header: 'Idempotency-Key' } }])
})

describe('keys at the same time', () => {
  let service: BackDoor
  beforeAll(async () => {
    service = await configuredService()
  })

  it('twenty creates with one key leave one user: one writes, the others are its replay', async () => {
    const me = await writer()
    const [key, body] = [newKey(), newUser()]
    const { origin } = service
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create(me, key, body, { origin })),
    )

    const [id, ...others] = await usersOf(me, service)
    expect(others).toEqual([])
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(new Set(answers.map(({ document }) => document.data.id))).toEqual(new Set([id]))
    const written = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)
    expect(written).toHaveLength(1)
  })
})

describe('keys of more than 24 hours', () => {
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
      left: false,
      bytes: expect.any(Number),
      ms: expect.any(Number),
    })
    expect(JSON.parse(lines[0] ?? '').bytes).toBeGreaterThan(4_096)
  })
})
