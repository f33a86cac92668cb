import { describe, expect, it } from 'vitest'
import { lineAbout, linesWith } from '../../support/log.ts'
import { newUser } from '../../support/people.ts'
import { get, person, type RequestOptions, request, variant } from '../../support/service.ts'
import { add, transact } from '../../support/transactions.ts'

/** Of each table that a write can reach. */
const everything = ['users', 'user_citizenships', 'user_relatives', 'idempotency_keys', 'counters']

const readOnly = await variant({ READ_ONLY: 'true' })
const writer = await person('1', 'users.read users.write')

const { origin } = readOnly
const send = (method: string, path: string, options: RequestOptions = {}) =>
  request(method, `/jsonapi${path}`, { token: writer, origin, ...options })

describe('A service with READ_ONLY', () => {
  it('refuses each write with a 500 that says so, and leaves the database as it is, where a write has a key, too', async () => {
    const stored = () =>
      Promise.all(everything.map((table) => readOnly.query(`SELECT * FROM ${table} ORDER BY 1, 2`)))
    const before = await stored()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = newUser()
    const answers = [
      await send('POST', '/users', { headers, body }),
      await send('POST', '/users', { headers, body }),
      await send('PATCH', '/users/1/relationships/placeOfBirth', { body: { data: null } }),
      await send('DELETE', '/users/1'),
      await transact(writer, [add()], { origin }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.headers['retry-after']]).toEqual([500, '30'])
      expect(answer.document.errors?.[0]?.detail).toMatch(/takes no writes .* has changed nothing/)
      expect(answer.headers).toHaveProperty('x-ratelimit-remaining')
    }
    expect(await stored()).toEqual(before)
  })

  it('comes after the 403 that the token alone decides, and before 415 and the ownership of the user', async () => {
    const reader = await person('1', 'users.read')
    expect((await send('DELETE', '/users/1', { token: reader })).status).toBe(403)
    const text = { headers: { 'content-type': 'text/plain' }, body: 'x' }
    expect((await send('PATCH', '/users/1', text)).status).toBe(500)
    expect((await send('DELETE', '/users/2')).status).toBe(500)
  })

  it('answers reads', async () => {
    expect((await get('/users', writer, { origin })).status).toBe(200)
  })

  it('says so in the report on its health, where it is well', async () => {
    const answer = await request('GET', '/health', { origin: readOnly.origin })
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'ok', readOnly: true })
    expect(JSON.parse((await request('GET', '/health')).text)).not.toHaveProperty('readOnly')
  })

  it('tells the cause in the log, and that the database was not asked', async () => {
    const answer = await send('DELETE', '/users/1')
    const line = await lineAbout(answer, readOnly.logs)
    expect(line).toMatchObject({ status: 500, operation: 'users.delete', limit: 'allowed' })
    expect(line).not.toHaveProperty('roundTrips')
    const failure = `"event":"failure","requestId":"${line.requestId}"`
    const told = (await linesWith(failure, readOnly.logs)).map((text) => JSON.parse(text).cause)
    expect(told).toEqual(['READ_ONLY is set'])
  })

  it('does nothing on its schedule, and the log tells it', async () => {
    await readOnly.query(
      "INSERT INTO idempotency_keys (name, fingerprint, created, at) VALUES ('old', 'f', '', 0)",
    )
    expect(await readOnly.runSchedule()).toBe('ok')
    const [{ n } = {}] = await readOnly.query(
      "SELECT count(*) AS n FROM idempotency_keys WHERE name = 'old'",
    )
    expect(n).toBe(1)
    const kept = '{"level":"info","event":"old keys kept","cause":"READ_ONLY is set"}'
    expect(await linesWith(kept, readOnly.logs)).toEqual([kept])
  })
})
