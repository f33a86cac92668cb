import { expect, it } from 'vitest'
import { checkRequest, checkResponse } from './response-check.ts'

// What each test over HTTP asks of each answer.
it('The check of answers refuses a status, a header, a member, an error code and a body that are not described', () => {
  const rest = ['Burst-Capacity', 'Remaining', 'Replenish-Rate', 'Requested-Tokens'].map((name) => [
    `x-ratelimit-${name.toLowerCase()}`,
    '1',
  ])
  const names = ['x-request-id', 'vary', 'content-security-policy', 'cross-origin-resource-policy']
  const more = ['referrer-policy', 'strict-transport-security', 'x-content-type-options']
  const of404 = Object.fromEntries([...rest, ...[...names, ...more].map((name) => [name, 'any'])])
  const headers = { ...of404, etag: '"any"', 'cache-control': 'private' }
  const self = '/jsonapi/countries/NO'
  const data = { type: 'countries', id: 'NO', links: { self } }
  const document = { jsonapi: { version: '1.1' }, links: { self }, data }
  const check = (status: number, sent: object, told: unknown) => () =>
    checkResponse('GET', self, status, sent as Record<string, string>, told)
  expect(check(200, headers, document)).not.toThrow()
  expect(check(409, headers, document)).toThrow('409 is not described in getCountry')
  expect(check(200, of404, document)).toThrow('has no ETag')
  expect(check(200, { ...headers, 'accept-patch': 'any' }, document)).toThrow('accept-patch')
  expect(check(200, headers, { ...document, extra: 1 })).toThrow('extra')
  expect(check(200, headers, undefined)).toThrow('has no document')
  const error = { id: 'a', status: '404', title: 'a', detail: 'a', source: { path: 'id' } }
  const failed = (code: string) => ({ jsonapi: {}, errors: [{ ...error, code }] })
  expect(check(404, of404, failed('NOT_FOUND'))).not.toThrow()
  expect(check(404, of404, failed('CONFLICT'))).toThrow('allowed values')
  const path = '/jsonapi/users/1/relationships/relatives'
  expect(() => checkRequest('POST', path, { data: [{ type: 'users', id: '2' }] })).toThrow('meta')
})
