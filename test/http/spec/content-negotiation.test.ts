import { describe, expect, it } from 'vitest'
import { reads, writes } from '../../support/endpoints.ts'
import {
  type Answer,
  client,
  get,
  mediaType,
  request,
  uniquePerson,
} from '../../support/service.ts'

/** What an answer says of the bodies that would be taken. */
const told = ({ headers }: Answer) =>
  Object.fromEntries(
    ['accept-patch', 'accept-post', 'accept-encoding']
      .filter((name) => headers[name] !== undefined)
      .map((name) => [name, headers[name]]),
  )

/** What a 415 says of the bodies that a method takes: there is a header for PATCH and one for POST. */
const takenBy = (method: string) =>
  method === 'DELETE' ? {} : { [`accept-${method.toLowerCase()}`]: mediaType }

const atomic = 'https://jsonapi.org/ext/atomic'

describe('Accept (contract, section 6)', () => {
  it.each([
    [],
    '*/*',
    'text/html, */*;q=0.001',
    'application/vnd.api+json; charset=utf-8, */*;q=0.1',
  ])('lets %j pass', async (accept) => {
    const { status } = await get('/currencies', await client(), { headers: { accept } })
    expect(status).toBe(200)
  })

  it.each([
    'application/json',
    'application/vnd.api+json; q=0, */*',
    `application/vnd.api+json; ext="${atomic}"`,
    'application/vnd.api+json; charset=utf-8',
  ])('answers %j with 406', async (accept) => {
    const answer = await get('/currencies', await client(), { headers: { accept } })
    expect(answer.status).toBe(406)
    expect(answer.document.errors).toMatchObject([
      { status: '406', code: 'NOT_ACCEPTABLE', source: { header: 'Accept' } },
    ])
  })

  it.each([
    ...reads.map(({ name, path }) => ({ name, method: 'GET', path })),
    ...writes.map(({ method, path }) => ({ name: `${method} ${path}`, method, path })),
  ])('is judged by $name, which lists status 406', async ({ method, path }) => {
    const { status } = await request(method, `/jsonapi${path}`, { headers: { accept: 'text/csv' } })
    expect(status).toBe(406)
  })
})

describe('Content-Type of requests (contract, sections 5 and 6)', () => {
  const refused = [[], 'application/json']

  /** The DELETE of a user ignores a body and its type. */
  const withBody = writes.filter(
    ({ method, path }) => !(method === 'DELETE' && path === '/users/1'),
  )

  it.each(withBody.flatMap((write) => refused.map((type) => ({ ...write, type }))))(
    'of $method $path must not be $type',
    async ({ method, path, type }) => {
      const { token } = await uniquePerson('users.write')
      const answer = await request(method, `/jsonapi${path}`, {
        token,
        headers: { 'content-type': type },
        body: '{}',
      })
      expect(answer.status).toBe(415)
      expect(answer.document.errors).toMatchObject([
        {
          code: 'UNSUPPORTED_MEDIA_TYPE',
          detail: expect.stringContaining(
            typeof type === 'string' ? JSON.stringify(type).slice(0, 60) : 'no Content-Type',
          ),
          source: { header: 'Content-Type' },
        },
      ])
      expect(answer.document.errors?.[0]?.detail).toContain(`must be ${mediaType}`)
      expect(told(answer)).toEqual(takenBy(method))
    },
  )

  it.each(withBody)(
    'of $method $path must not be compressed, and the answer says so',
    async ({ method, path }) => {
      const { token } = await uniquePerson('users.write')
      for (const coding of ['gzip', 'gzip, identity', 'identity, gzip']) {
        const headers = { 'content-encoding': coding }
        const answer = await request(method, `/jsonapi${path}`, { token, headers, body: '{}' })
        expect(answer.status).toBe(415)
        expect(answer.document.errors).toMatchObject([
          {
            code: 'UNSUPPORTED_MEDIA_TYPE',
            detail: expect.stringContaining(`"${coding}"`),
            source: { header: 'Content-Encoding' },
          },
        ])
        expect(told(answer)).toEqual({ ...takenBy(method), 'accept-encoding': 'identity' })
      }
    },
  )

  it.each(['identity', 'Identity', ''])('may come with Content-Encoding %j', async (coding) => {
    const { token } = await uniquePerson('users.write')
    const headers = { 'content-encoding': coding }
    const { status } = await request('POST', '/jsonapi/users', { token, headers, body: '{}' })
    expect(status).toBe(400)
  })

  it('is refused together with a Content-Encoding where both are wrong', async () => {
    const { token } = await uniquePerson('users.write')
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' }
    const { document } = await request('POST', '/jsonapi/users', { token, headers, body: '{}' })
    expect(document.errors?.map(({ source }) => source)).toEqual([
      { header: 'Content-Type' },
      { header: 'Content-Encoding' },
    ])
  })

  it('and Content-Encoding are ignored by the DELETE of a user, as its body is', async () => {
    const { token } = await uniquePerson('users.write')
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' }
    const path = '/jsonapi/users/nobody'
    const { status } = await request('DELETE', path, { token, headers, body: '{' })
    expect(status).toBe(404)
  })

  it.each([
    'application/vnd.api+json',
    'Application/Vnd.Api+Json',
    'application/vnd.api+json; profile="https://example.com/profile"',
    'application/vnd.api+json;profile=x',
  ])('may be %s', async (type) => {
    const { token } = await uniquePerson('users.write')
    const { status, document } = await request('POST', '/jsonapi/users', {
      token,
      headers: { 'content-type': type },
      body: '{}',
    })
    expect([status, document.errors?.[0]?.code]).toEqual([400, 'VALUE_IS_ABSENT'])
  })

  it('is not judged on a GET: 415 is not among the statuses of a read', async () => {
    const { status } = await get('/countries', await client(), {
      headers: { 'content-type': 'text/plain' },
      body: 'why not',
    })
    expect(status).toBe(200)
  })

  it('is not needed where there is no body', async () => {
    const { token } = await uniquePerson('users.write')
    const { status } = await request('DELETE', '/jsonapi/users/nobody', { token })
    expect(status).toBe(404)
  })
})

describe('the headers of every answer (contract, section 6)', () => {
  const cases = [
    { name: '200', send: async () => get('/countries', await client()) },
    { name: '200 of a user', send: async () => get('/users/1', await client()) },
    { name: '400', send: async () => get('/countries?no=1', await client()) },
    { name: '401', send: () => get('/countries') },
    {
      name: '403',
      send: async () => get('/users/1/relationships/relatives', await client()),
    },
    { name: '404', send: () => get('/planets') },
    { name: '405', send: () => request('PUT', '/jsonapi/users') },
    { name: '406', send: () => get('/users', undefined, { headers: { accept: 'text/csv' } }) },
  ]

  it.each(cases)('give a media type without parameters: $name', async ({ send }) => {
    expect((await send()).headers['content-type']).toBe(mediaType)
  })

  it.each(cases)('say what the answer varies by: $name', async ({ send }) => {
    expect((await send()).headers.vary).toBe('Accept, Authorization')
  })

  it.each(cases)('forbid browsers to guess the type: $name', async ({ send }) => {
    expect((await send()).headers['x-content-type-options']).toBe('nosniff')
  })
})
