import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { lineAbout, linesAbout } from '../../support/log.ts'
import { createUser } from '../../support/people.ts'
import { client, clientToken, get, logs, person, request, tokenFor } from '../../support/service.ts'
import { issuer } from '../../support/signing-key.ts'

describe('the log', () => {
  it.each([
    { path: '/countries', operation: 'countries.list', status: 200, resource: undefined },
    { path: '/countries/NO', operation: 'countries.get', status: 200, resource: 'NO' },
    {
      path: '/countries/NO/relationships/currencies',
      operation: 'countries.currencies.readMany',
      status: 200,
      resource: 'NO',
    },
    { path: '/users?no=1', operation: 'users.list', status: 400, resource: undefined },
    { path: '/planets', operation: undefined, status: 404, resource: undefined },
  ])('has one line about GET $path, named by X-Request-Id', async (row) => {
    const lines = await linesAbout(await get(row.path, await client()))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: 'info', event: 'request', method: 'GET' })
    expect(lines[0]?.status).toBe(row.status)
    expect(lines[0]?.operation).toBe(row.operation)
    expect(lines[0]?.resource).toBe(row.resource)
    expect(lines[0]?.ms).toEqual(expect.any(Number))
  })

  it('names each caller by a hash that stays the same and does not show who it is', async () => {
    const [first, second, third] = await Promise.all(
      ['a-log-reader', 'a-log-reader', 'another'].map(async (sub) => {
        return (await lineAbout(await get('/countries', await person(sub)))).caller
      }),
    )
    expect(first).toMatch(/^[\w-]{16}$/)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    // The hash is keyed: a reader of the log who knows a name cannot find the lines about it.
    for (const text of [
      ['user', issuer, 'a-log-reader'],
      [issuer, 'a-log-reader'],
    ]) {
      const digest = createHash('sha256').update(JSON.stringify(text))
      for (const code of [digest.copy().digest('hex'), digest.digest('base64url')]) {
        expect(first).not.toBe(code.slice(0, 16))
      }
    }
  })

  it('tells what the limiter said, and names no caller for a refused token', async () => {
    const line = await lineAbout(await get('/countries', await tokenFor({ expiresIn: -60 })))
    expect(line).toMatchObject({ status: 401, limit: 'allowed' })
    expect(line).not.toHaveProperty('caller')
  })

  it('holds no token, no query value and nothing personal (contract, section 4)', async () => {
    const secret = crypto.randomUUID()
    const card = '5105 1051 0510 5100'
    const user = await createUser({
      attributes: {
        fullName: `Name ${secret}`,
        email: `${secret}@example.com`,
        addresses: [{ city: `City ${secret}`, zip: '31337', doorCode: `D${secret.slice(0, 8)}` }],
        creditCardNumber: card,
      },
    })
    const { token, id } = user
    const answers = [
      await get(`/users/${id}?include=relatives`, token),
      await get(`/users?filter[id]=${secret}&sort=email`, token),
      await get(`/users?include=${secret}&${secret}=1`, token),
      await get(`/countries?page[cursor]=${secret}`, token),
      await get(`/${secret}`, token),
      await get('/countries', `${token.slice(0, -8)}AAAAAAAA`),
      await request('POST', '/jsonapi/users', {
        token,
        body: {
          data: { type: 'users', attributes: { fullName: secret, email: `${secret}@example.com` } },
        },
      }),
      await request('PATCH', `/jsonapi/users/${id}`, {
        token,
        body: { data: { type: 'users', id, attributes: { email: secret, [secret]: card } } },
      }),
    ]
    for (const answer of answers) {
      await linesAbout(answer)
    }
    const everything = (await logs()).join('\n')
    const [, payload = '', signature = ''] = token.split('.')
    for (const hidden of [secret, secret.slice(0, 8), card, user.owner, payload, signature]) {
      expect(everything).not.toContain(hidden)
    }
  })
})

describe('X-Request-Id', () => {
  it('is on every answer, and differs on each', async () => {
    const token = await clientToken()
    const answers = await Promise.all([
      get('/countries', token),
      get('/planets'),
      get('/countries'),
      request('OPTIONS', '/jsonapi/users'),
      request('PUT', '/jsonapi/users'),
    ])
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    expect(ids.every((id) => /^[0-9a-f-]{36}$/.test(String(id)))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
