import { describe, expect, it } from 'vitest'
import { lineAbout } from '../../../support/log.ts'
import {
  change,
  countries,
  newUser,
  send,
  somebody,
  uniqueEmail,
  userOf,
  writer,
} from '../../../support/people.ts'
import {
  type Answer,
  clientToken,
  get,
  logs,
  person,
  request,
  slowService,
  tokenFor,
} from '../../../support/service.ts'
import { atOnce } from '../../../support/throttled.ts'

const hash = expect.stringMatching(/^[\w-]{16}$/)

describe('The log line of a request', () => {
  it('tells everything about a read that was answered', async () => {
    const answer = await get('/users/1?include=relatives', await person('1'))
    expect(await lineAbout(answer)).toEqual({
      level: 'info',
      event: 'request',
      requestId: answer.headers['x-request-id'],
      method: 'GET',
      operation: 'users.get',
      resource: '1',
      status: 200,
      ms: expect.any(Number),
      limit: 'allowed',
      roundTrips: 1,
      attempts: 0,
      caller: hash,
      version: expect.stringMatching(/^\S+$/),
    })
  })

  it('says that the limiter refused', async () => {
    const { origin, logs: read } = await slowService()
    const token = await clientToken()
    const answers = await atOnce(12, () => get('/countries', token, { origin }))
    const refused = answers.answers.filter(({ status }) => status === 429)
    const line = await lineAbout(refused[0] ?? expect.unreachable(), read)
    expect(line).toMatchObject({ status: 429, limit: 'refused' })
  })

  it('is written for requests that no operation answers, and for probes', async () => {
    expect(await lineAbout(await get('/planets'))).toMatchObject({ status: 404 })
    expect(await lineAbout(await request('PUT', '/jsonapi/users/1'))).toMatchObject({ status: 405 })
    expect(await lineAbout(await request('GET', '/health'))).toMatchObject({
      status: 200,
      operation: 'health',
    })
  })
})

it('The log never holds anything personal: no name, address, card, subject, query value, id that does not exist, or token', async () => {
  const mark = `secret${crypto.randomUUID().slice(-12)}`
  const sub = `${mark}-subject`
  const token = await tokenFor({ sub, scope: 'users.write users.read users.sensitive.read' })
  const card = '4111 1111 1111 1111'
  const attributes = {
    fullName: `${mark} name`,
    email: `${mark}@example.com`,
    creditCardNumber: card,
    addresses: [{ city: `${mark} city`, doorCode: mark }],
  }
  const body = { data: { type: 'users', attributes } }
  const answers = [
    await request('POST', '/jsonapi/users', { token, body }),
    await request('POST', '/jsonapi/users', { token, body }),
    await get(`/users?filter[id]=${mark}&sort=${mark}`, token),
    await get(`/users/${mark}@example.com`, token),
    await request('PATCH', `/jsonapi/users/${mark}`, { token, body }),
    await get(`/${mark}`, token),
    await get('/users', `${mark}.${mark}.${mark}`),
    await get('/users', token, { headers: { accept: mark, 'x-d1-bookmark': mark } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 409, 400, 404, 400, 404, 401, 406])
  await Promise.all(answers.map((answer) => lineAbout(answer)))
  const all = (await logs()).join('\n')
  expect(all).not.toContain(mark)
  expect(all).not.toContain(card)
  expect(all).not.toContain(token.split('.')[2])
})

it('every write is logged with its operation, its resource, its caller and its outcome', async () => {
  const [me, other] = [await writer(), await writer()]
  const email = uniqueEmail()
  await userOf(other, { attributes: { email } })
  const id = await userOf(other)
  const mine = await userOf(me)
  const taken = change(mine, { attributes: { email } })
  const [sweden, linked] = ['SE', 'XX'].map((code) => ({ data: countries(code) }))
  const created = await send('POST', '/users', me, newUser())
  const [path, citizenships] = [`/users/${mine}`, `/users/${mine}/relationships/citizenships`]
  // The log names an id only where it exists, since a path can hold anything. A refused write asks for the reason, too.
  const rows: [operation: string, Answer, resource?: string, roundTrips?: number][] = [
    ['create 201', created, created.document.data.id, 1],
    ['citizenships.addMany 204', await send('POST', citizenships, me, sweden), mine, 1],
    ['delete 403', await send('DELETE', `/users/${id}`, me), id, 2],
    ['delete 404', await send('DELETE', `/users/${somebody}`, me), undefined, 2],
    ['update 409', await send('PATCH', path, me, taken), mine, 2],
    ['citizenships.addMany 404', await send('POST', citizenships, me, linked), undefined, 2],
    ['update 400', await send('PATCH', path, me, '[')],
    ['delete 403', await send('DELETE', path, { token: await clientToken() })],
    ['delete 401', await send('DELETE', path, { token: 'none' })],
  ]
  const lines = await Promise.all(rows.map(([, answer]) => lineAbout(answer)))
  for (const [nth, [of, , resource, roundTrips]] of rows.entries()) {
    const { operation, status, ...line } = lines[nth] ?? {}
    expect(`${operation} ${status}`).toBe(`users.${of}`)
    expect([of, line.resource, line.roundTrips]).toEqual([of, resource, roundTrips])
    expect(line.attempts).toBe(roundTrips && 1)
  }
  // Seven are of one person, and the last one is of nobody.
  const callers = lines.map(({ caller }) => caller)
  expect(callers[0]).toEqual(hash)
  expect(new Set(callers.slice(0, 7)).size).toBe(1)
  expect(callers.map((caller) => caller === undefined)).toEqual([...Array(8).fill(false), true])
})

it('X-Request-Id is on every answer, differs on each, and is not what a client sends', async () => {
  const token = await clientToken()
  const answers = await Promise.all([
    get('/countries', token),
    get('/planets'),
    get('/countries', token, { headers: { 'x-request-id': 'mine' } }),
    get('/countries'),
    request('OPTIONS', '/jsonapi/users'),
    request('PUT', '/jsonapi/users'),
  ])
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  expect(ids.every((id) => /^[0-9a-f-]{36}$/.test(String(id)))).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
})
