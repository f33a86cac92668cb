import { describe, expect, it } from 'vitest'
import { client, get, request, uniquePerson } from '../../support/service.ts'

describe('Cache-Control', () => {
  it.each([
    { status: 400, send: async () => get('/countries?no=1', await client()) },
    { status: 401, send: async () => get('/countries') },
    {
      status: 403,
      send: async () => get('/users/1/relationships/relatives', await client()),
    },
    { status: 404, send: async () => get('/countries/XX', await client()) },
    { status: 405, send: async () => request('PUT', '/jsonapi/users') },
    {
      status: 406,
      send: async () => get('/users', undefined, { headers: { accept: 'text/csv' } }),
    },
  ])('is added to 2xx only, not to $status', async ({ status, send }) => {
    const answer = await send()
    expect(answer.status).toBe(status)
    expect(answer.headers).not.toHaveProperty('cache-control')
    expect(answer.headers).not.toHaveProperty('etag')
  })
})

describe('ETag and If-None-Match (RFC 9110, section 13.1.2)', () => {
  it.each(['/countries/NO', '/users?filter[id]=1,2', '/users/1/relationships/relatives'])(
    'GET %s has a strong tag, and answers 304 to a client that has it',
    async (path) => {
      const { token } = await uniquePerson()
      const full = await get(path, token)
      const tag = full.headers.etag ?? ''
      expect(tag).toMatch(/^"[^"]+"$/)
      const again = await get(path, token, { headers: { 'if-none-match': `"a", W/${tag}` } })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
      expect(again.headers.vary).toBe('Accept, Authorization')
      expect(again.headers).toHaveProperty('x-ratelimit-remaining')
      expect(again.headers).not.toHaveProperty('content-type')
    },
  )

  it('does not answer an error with 304', async () => {
    const { status } = await get('/countries/XX', await client(), {
      headers: { 'if-none-match': '*' },
    })
    expect(status).toBe(404)
  })
})
