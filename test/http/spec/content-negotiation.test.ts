import { describe, expect, it } from 'vitest'
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

/** A write with each method that takes a body: the headers of a 415 differ by it. */
const writes = [
  { method: 'POST', path: '/users' },
  { method: 'PATCH', path: '/users/1' },
  { method: 'DELETE', path: '/users/1/relationships/relatives' },
]

describe('Content-Type of requests', () => {
  it.each(writes.flatMap((write) => [[], 'application/json'].map((type) => ({ ...write, type }))))(
    'of $method $path must not be $type',
    async ({ method, path, type }) => {
      const { token } = await uniquePerson('users.write')
      const headers = { 'content-type': type }
      const answer = await request(method, `/jsonapi${path}`, { token, headers, body: '{}' })
      expect(answer.faults).toEqual(['415 UNSUPPORTED_MEDIA_TYPE header Content-Type'])
      const sent = typeof type === 'string' ? `"${type}"` : 'no Content-Type'
      const detail = `${sent}.*must be ${RegExp.escape(mediaType)}`
      expect(answer.document.errors?.[0]?.detail).toMatch(new RegExp(detail))
      expect(told(answer)).toEqual(takenBy(method))
    },
  )

  it.each(['gzip', 'gzip, identity', 'identity, gzip'])(
    'must not be compressed, and the answer says so: %s',
    async (coding) => {
      const { token } = await uniquePerson('users.write')
      const headers = { 'content-encoding': coding }
      const answer = await request('POST', '/jsonapi/users', { token, headers, body: '{}' })
      expect(answer.faults).toEqual(['415 UNSUPPORTED_MEDIA_TYPE header Content-Encoding'])
      expect(answer.document.errors?.[0]?.detail).toContain(`"${coding}"`)
      expect(told(answer)).toEqual({ ...takenBy('POST'), 'accept-encoding': 'identity' })
    },
  )

  it('may come with Content-Encoding identity', async () => {
    const { token } = await uniquePerson('users.write')
    const headers = { 'content-encoding': 'Identity' }
    const { status } = await request('POST', '/jsonapi/users', { token, headers, body: '{}' })
    expect(status).toBe(400)
  })

  it('is refused together with a Content-Encoding where both are wrong', async () => {
    const { token } = await uniquePerson('users.write')
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' }
    const { faults } = await request('POST', '/jsonapi/users', { token, headers, body: '{}' })
    const unsupported = '415 UNSUPPORTED_MEDIA_TYPE header'
    expect(faults).toEqual([`${unsupported} Content-Encoding`, `${unsupported} Content-Type`])
  })

  it('and Content-Encoding are ignored by the DELETE of a user, as its body is', async () => {
    const { token } = await uniquePerson('users.write')
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' }
    const path = '/jsonapi/users/nobody'
    const { status } = await request('DELETE', path, { token, headers, body: '{' })
    expect(status).toBe(404)
  })

  it('is not judged on a GET: 415 is not among the statuses of a read', async () => {
    const { status } = await get('/countries', await client(), {
      headers: { 'content-type': 'text/plain' },
      body: 'why not',
    })
    expect(status).toBe(200)
  })
})

describe('the headers of every answer', () => {
  const cases = [
    { name: '200', send: async () => get('/countries', await client()) },
    { name: '401', send: () => get('/countries') },
    { name: '404', send: () => get('/planets') },
    { name: '405', send: () => request('PUT', '/jsonapi/users') },
    { name: '406', send: () => get('/users', undefined, { headers: { accept: 'text/csv' } }) },
  ]

  it.each(cases)(
    'give a media type without parameters, say what the answer varies by, and forbid browsers to guess: $name',
    async ({ send }) => {
      expect((await send()).headers).toMatchObject({
        'content-type': mediaType,
        vary: 'Accept, Authorization',
        'x-content-type-options': 'nosniff',
      })
    },
  )
})
