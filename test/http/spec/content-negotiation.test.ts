import { describe, expect, it } from 'vitest'
import { reads, writes } from '../../support/endpoints.ts'
import { client, get, mediaType, request, uniquePerson } from '../../support/service.ts'

const atomic = 'https://jsonapi.org/ext/atomic'

describe('Accept (contract, section 6)', () => {
  it.each([
    [],
    '*/*',
    'application/*',
    'application/vnd.api+json',
    'Application/VND.API+JSON',
    'application/vnd.api+json; q=0.1',
    'application/vnd.api+json; profile="https://example.com/a https://example.com/b"',
    'text/html, application/vnd.api+json;q=0.5',
    'text/html, */*;q=0.001',
    `application/vnd.api+json; ext="${atomic}", application/vnd.api+json`,
    'application/vnd.api+json; charset=utf-8, */*;q=0.1',
    '*/*;q=0, application/vnd.api+json',
    'text/html; title="a, */*;q=0", */*',
  ])('lets %j pass', async (accept) => {
    const { status } = await get('/currencies', await client(), { headers: { accept } })
    expect(status).toBe(200)
  })

  it.each([
    'application/json',
    'text/html, application/xhtml+xml',
    'application/vnd.api+json; q=0',
    'application/vnd.api+json; q=0.000',
    '*/*; q=0',
    'application/vnd.api+json; q=0, */*',
    'application/*; q=0, */*',
    `application/vnd.api+json; ext="${atomic}"`,
    'application/vnd.api+json; charset=utf-8',
    'application/vnd.api+json; version=1.1; q=1',
    'application/vnd.api+jsonx',
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
  const refused = [
    [],
    'application/json',
    'text/plain',
    'application/vnd.api+json; charset=utf-8',
    `application/vnd.api+json; ext="${atomic}"`,
    'application/vnd.api+json; q=1',
  ]

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
        { code: 'UNSUPPORTED_MEDIA_TYPE', source: { header: 'Content-Type' } },
      ])
    },
  )

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

describe('what every answer says of itself (contract, section 6)', () => {
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

  it.each(cases)('on $name: its media type has no parameters', async ({ send }) => {
    expect((await send()).headers['content-type']).toBe(mediaType)
  })

  it.each(cases)('on $name: what it varies by', async ({ send }) => {
    expect((await send()).headers.vary).toBe('Accept, Authorization')
  })

  it.each(cases)('on $name: that a browser must not guess its type', async ({ send }) => {
    expect((await send()).headers['x-content-type-options']).toBe('nosniff')
  })
})
