import { describe, expect, it } from 'vitest'
import { checkRequest, checkResponse } from './response-check.ts'

/** A good answer to a read of a country, to be spoilt. */
const headers = {
  'x-request-id': 'any',
  vary: 'Accept',
  'content-security-policy': 'any',
  'cross-origin-resource-policy': 'any',
  'referrer-policy': 'any',
  'strict-transport-security': 'any',
  'x-content-type-options': 'any',
  date: 'any',
  etag: '"any"',
  'cache-control': 'private',
  'x-ratelimit-burst-capacity': '100',
  'x-ratelimit-remaining': '99',
  'x-ratelimit-replenish-rate': '50',
  'x-ratelimit-requested-tokens': '1',
}
const norway = {
  jsonapi: { version: '1.1' },
  links: { self: '/jsonapi/countries/NO' },
  data: {
    type: 'countries',
    id: 'NO',
    attributes: { name: 'Kingdom of Norway' },
    relationships: {
      currencies: {
        links: { self: '/a', related: '/b' },
        data: [{ type: 'currencies', id: 'NOK' }],
      },
    },
    links: { self: '/jsonapi/countries/NO' },
  },
}

function check(status: number, sent: Readonly<Record<string, string>>, document: unknown) {
  return () =>
    checkResponse('GET', '/jsonapi/countries/NO?include=currencies', status, sent, document)
}

describe('The check of answers against the description', () => {
  it('lets pass what is described', () => {
    expect(check(200, headers, norway)).not.toThrow()
  })

  it('refuses a status that the operation does not have', () => {
    expect(check(409, headers, norway)).toThrow('409 is not described in getCountry')
  })

  it('refuses an answer without a header that it must have', () => {
    const { etag: _, ...others } = headers

    expect(check(200, others, norway)).toThrow('has no ETag')
  })

  it('refuses a header that is not described', () => {
    expect(check(200, { ...headers, 'accept-patch': 'any' }, norway)).toThrow('accept-patch')
  })

  it('refuses a header that is not as described', () => {
    expect(check(200, { ...headers, 'x-ratelimit-remaining': 'many' }, norway)).toThrow('Remaining')
  })

  it.each([
    ['a member', { ...norway, extra: 1 }],
    ['an attribute', { ...norway, data: { ...norway.data, attributes: { nmae: 'Norway' } } }],
    ['a type', { ...norway, data: { ...norway.data, type: 'users' } }],
    [
      'an included type',
      { ...norway, included: [{ type: 'users', id: '1', links: { self: '/' } }] },
    ],
    ['no data', { jsonapi: norway.jsonapi, links: norway.links }],
    ['no document', undefined],
  ])('refuses a document with %s that is not described', (_, document) => {
    expect(check(200, headers, document)).toThrow('GET /jsonapi/countries/NO')
  })

  it('refuses an error with a code that the status does not have', () => {
    const source = { path: 'id' }
    const error = { id: 'a', status: '404', code: 'CONFLICT', title: 'a', detail: 'a', source }
    const { etag: _, 'cache-control': __, ...others } = headers

    expect(
      check(404, others, { jsonapi: {}, errors: [{ ...error, code: 'NOT_FOUND' }] }),
    ).not.toThrow()
    expect(check(404, others, { jsonapi: {}, errors: [error] })).toThrow('allowed values')
  })

  it('refuses a body that the description does not allow', () => {
    const path = '/jsonapi/users/1/relationships/relatives'
    const brother = { type: 'users', id: '2', meta: { relationshipType: 'BROTHER' } }

    expect(() => checkRequest('POST', path, { data: [brother] })).not.toThrow()
    expect(() => checkRequest('POST', path, { data: [{ type: 'users', id: '2' }] })).toThrow('meta')
  })
})
