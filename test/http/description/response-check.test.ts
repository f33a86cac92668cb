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

  const { etag: _, ...untagged } = headers
  const { data } = norway

  it.each<[what: string, complaint: string, ...parameters: Parameters<typeof check>]>([
    ['a status that is not described', '409 is not described in getCountry', 409, headers, norway],
    ['no header that it must have', 'has no ETag', 200, untagged, norway],
    ['another header', 'accept-patch', 200, { ...headers, 'accept-patch': 'any' }, norway],
    ['a bad header', 'Remaining', 200, { ...headers, 'x-ratelimit-remaining': 'many' }, norway],
    ['another member', 'extra', 200, headers, { ...norway, extra: 1 }],
    [
      'another attribute',
      'nmae',
      200,
      headers,
      { ...norway, data: { ...data, attributes: { nmae: '' } } },
    ],
    ['no document', 'has no document', 200, headers, undefined],
  ])('refuses an answer with %s', (_, complaint, ...parameters) => {
    expect(check(...parameters)).toThrow(complaint)
  })

  it('refuses an error with a code that the status does not have', () => {
    const source = { path: 'id' }
    const error = { id: 'a', status: '404', code: 'CONFLICT', title: 'a', detail: 'a', source }
    const { 'cache-control': __, ...others } = untagged

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
