import { describe, expect, it } from 'vitest'
import { reads, steadyReads } from '../../support/endpoints.ts'
import { createUser, toBrothers } from '../../support/people.ts'
import {
  client,
  clientToken,
  get,
  person,
  reader,
  request,
  uniquePerson,
} from '../../support/service.ts'

const cacheControlOf = (path: string) =>
  path.startsWith('/users') ? 'private, no-cache' : 'private, max-age=3600'

describe('Cache-Control (contract, section 9)', () => {
  it.each(reads.map((read) => ({ ...read, policy: cacheControlOf(read.path) })))(
    'of $name is "$policy"',
    async ({ path, policy }) => {
      const { headers } = await get(path, await reader())
      expect(headers['cache-control']).toBe(policy)
    },
  )

  describe('where a card number is shown, nothing may keep the answer', async () => {
    const own = await createUser({ attributes: { creditCardNumber: '4242 4242 4242 4242' } })
    const relative = await createUser({ relationships: { relatives: toBrothers(own.id) } })

    it.each([
      { what: 'the user', path: `/users/${own.id}` },
      { what: 'a list', path: `/users?filter[id]=1,${own.id}` },
      { what: 'an included user', path: `/users/${relative.id}?include=relatives` },
      {
        what: 'a relative of a relationship document',
        path: `/users/${relative.id}/relationships/relatives?include=relatives`,
      },
    ])('so that $what is no-store', async ({ path }) => {
      const { text, headers } = await get(path, own.token)
      expect(text).toContain('4242 4242 4242 4242')
      expect(headers['cache-control']).toBe('private, no-store')
    })

    it.each([
      { what: 'the card is not asked for', path: `/users/${own.id}?fields[users]=fullName` },
      { what: 'another user has it', path: '/users/1' },
    ])('unless $what', async ({ path }) => {
      const { headers } = await get(path, own.token)
      expect(headers['cache-control']).toBe('private, no-cache')
    })

    it('unless the caller may not see it', async () => {
      const { headers } = await get(`/users/${own.id}`, await person(own.owner, 'users.read'))
      expect(headers['cache-control']).toBe('private, no-cache')
    })
  })

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

describe('ETag and If-None-Match (contract, section 9; RFC 9110, section 13.1.2)', () => {
  it.each(steadyReads)(
    '$name has a strong tag, and answers 304 to a client that has it',
    async ({ path }) => {
      const { token } = await uniquePerson()
      const full = await get(path, token)
      const tag = full.headers.etag ?? ''
      expect(tag).toMatch(/^"[^"]+"$/)
      const again = await get(path, token, { headers: { 'if-none-match': tag } })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
      expect(again.headers.vary).toBe('Accept, Authorization')
      expect(again.headers).toHaveProperty('x-ratelimit-remaining')
      expect(again.headers).not.toHaveProperty('content-type')
    },
  )

  it.each([
    { name: 'a list with the tag in it', header: (tag: string) => `"a", ${tag}, "b"`, status: 304 },
    { name: 'the weak form of the tag', header: (tag: string) => `W/${tag}`, status: 304 },
    { name: '*', header: () => '*', status: 304 },
    { name: 'another tag', header: () => '"another"', status: 200 },
    { name: 'the tag without its quotes', header: (tag: string) => tag.slice(1, -1), status: 200 },
  ])('If-None-Match with $name answers $status', async ({ header, status }) => {
    const token = await clientToken()
    const { headers } = await get('/countries/NO', token)
    const answer = await get('/countries/NO', token, {
      headers: { 'if-none-match': header(headers.etag ?? '') },
    })
    expect(answer.status).toBe(status)
  })

  it('answers HEAD with 304, too', async () => {
    const token = await clientToken()
    const { headers } = await get('/countries/NO', token)
    const { status } = await request('HEAD', '/jsonapi/countries/NO', {
      token,
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    expect(status).toBe(304)
  })

  it('has another tag for a caller who sees other things', async () => {
    const { id, token } = await createUser()
    const [mine, theirs] = await Promise.all([
      get(`/users/${id}`, token),
      get(`/users/${id}`, await client()),
    ])
    expect(mine.headers.etag).not.toBe(theirs.headers.etag)
  })

  it('has another tag once the user is changed', async () => {
    const { id, token } = await createUser()
    const before = await get(`/users/${id}`, token)
    await request('PATCH', `/jsonapi/users/${id}`, {
      token,
      body: { data: { type: 'users', id, attributes: { fullName: 'Renamed' } } },
    })
    const after = await get(`/users/${id}`, token, {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    })
    expect(after.status).toBe(200)
    expect(after.headers.etag).not.toBe(before.headers.etag)
  })

  it('does not answer an error with 304', async () => {
    const { status } = await get('/countries/XX', await client(), {
      headers: { 'if-none-match': '*' },
    })
    expect(status).toBe(404)
  })
})
