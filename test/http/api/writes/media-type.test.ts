import { describe, expect, it } from 'vitest'
import { request } from '../../../support/service.ts'
import { targets } from './bad-body.ts'
import { anyWriter, faults, newUser, userOf, writer } from './writers.ts'

const operations = Object.entries(targets)

describe('the media type of a body (contract, sections 5 and 6)', () => {
  it.each([
    'application/json',
    'text/plain',
    'application/vnd.api+json; charset=utf-8',
    'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"',
    'application/vnd.api+json; q=1',
    'application/vnd.api+jsonp',
    '',
  ])('must be JSON:API: %j is refused', async (type) => {
    const { token } = await anyWriter()
    const headers = { 'content-type': type === '' ? [] : type }
    const answer = await request('POST', '/jsonapi/users', { token, headers, body: newUser() })

    expect(answer.status).toBe(415)
    expect(answer.document.errors).toMatchObject([
      { code: 'UNSUPPORTED_MEDIA_TYPE', source: { header: 'Content-Type' } },
    ])
  })

  it.each([
    'application/vnd.api+json',
    'APPLICATION/VND.API+JSON',
    'application/vnd.api+json;profile="https://example.com/a https://example.com/b"',
    'application/vnd.api+json; ext=""',
  ])('may be %s', async (type) => {
    const { token } = await anyWriter()
    const headers = { 'content-type': type }
    const answer = await request('POST', '/jsonapi/users', { token, headers, body: newUser() })

    expect(answer.status).toBe(201)
  })

  it.each(operations)('is checked before the body is: %s', async (_, [method, path]) => {
    const { token } = await anyWriter()
    const headers = { 'content-type': 'application/json' }
    const answer = await request(method, `/jsonapi${path}`, { token, headers, body: '[' })

    expect(answer.status).toBe(415)
  })

  it('is not judged where the body is ignored: DELETE of a user', async () => {
    const me = await writer()
    const path = `/jsonapi/users/${await userOf(me)}`
    const headers = { 'content-type': 'text/plain' }
    const answer = await request('DELETE', path, { token: me.token, headers, body: 'x' })

    expect(answer.status).toBe(204)
    expect((await request('GET', path, { token: me.token })).status).toBe(404)
  })

  it.each(operations)('need not be there where there is no body: %s', async (_, [method, path]) => {
    const { token } = await anyWriter()
    const answer = await request(method, `/jsonapi${path}`, { token })

    expect(faults(answer)).toEqual([['400', 'INVALID_PAYLOAD']])
  })
})
