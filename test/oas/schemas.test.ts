import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../src/jsonapi/errors.ts'
import {
  type DescribedOperation,
  description,
  operationOf,
  operations,
  resolved,
  type SchemaObject,
} from './openapi.ts'
import { checkRequest, checkResponse } from './response-check.ts'

const { schemas, securitySchemes } = description.components
const json = 'application/vnd.api+json'

/** A good answer to a read of a country, to be spoilt. */
const headers = {
  'x-request-id': 'any',
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
      currencies: { links: { self: '/a' }, data: [{ type: 'currencies', id: 'NOK' }] },
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

  it('refuses a status that the operation has not', () => {
    expect(check(409, headers, norway)).toThrow('409 is not described in countries.get')
  })

  it('refuses an answer without a header that it must have', () => {
    const { etag: _, ...others } = headers

    expect(check(200, others, norway)).toThrow('has no ETag')
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

  it('refuses an error with a code that the status has not', () => {
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

describe('The described documents', () => {
  it.each(operations.filter(({ requestBody }) => requestBody))(
    'have an example body that is as described: $operationId',
    ({ method, path, requestBody }) => {
      const target = `/jsonapi${path.replace('{id}', '1')}`

      expect(() => checkRequest(method, target, requestBody?.content[json].example)).not.toThrow()
    },
  )

  it('tell what a user has (specification, "users")', () => {
    const { attributes, relationships } = schemas.User.properties

    expect(Object.keys(attributes.properties)).toEqual([
      ...['fullName', 'email', 'addresses', 'creditCardNumber'],
    ])
    expect(Object.keys(relationships.properties)).toEqual([
      ...['citizenships', 'placeOfBirth', 'relatives'],
    ])
    expect(attributes.required).toBeUndefined()
  })

  it('tell the kinship of linkage (specification, "users", rule 2)', () => {
    expect(schemas.UserRelativesIdentifier.properties.meta).toMatchObject({
      properties: {
        relationshipType: {
          enum: ['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER'],
        },
      },
      required: ['relationshipType'],
    })
  })

  it('take on create what must be there, and no id (specification, "Create payload")', () => {
    const { data } = schemas.UserCreateRequest.properties

    expect(data.required).toEqual(['type', 'attributes'])
    expect(data.properties).not.toHaveProperty('id')
    expect(data.properties.attributes.required).toEqual(['fullName', 'email'])
  })

  it('take on update any part, and the id (specification, "Update payload")', () => {
    const { data } = schemas.UserUpdateRequest.properties

    expect(data.required).toEqual(['type', 'id'])
    expect(data.properties.attributes.required).toBeUndefined()
  })

  it('count and point to pages (specification, "Pagination")', () => {
    expect(schemas.UserList.properties.meta.properties).toMatchObject({
      'pagination.totalItems': { type: 'integer', format: 'int64' },
      'pagination.nextCursor': { type: 'string' },
    })
    expect(Object.keys(schemas.CountryList.properties.meta.properties)).toEqual([
      'pagination.nextCursor',
    ])
    expect(Object.keys(schemas.PageLinks.properties)).toEqual([
      ...['self', 'first', 'prev', 'next', 'last'],
    ])
  })

  it.each([
    ['countries.list', ['currencies']],
    ['users.list', ['countries', 'currencies', 'users']],
    ['users.citizenships.readMany', ['countries', 'currencies']],
  ])('of %s include %j', (id, types) => {
    const document = resolved(operationOf(id).responses[200]?.content?.[json].schema ?? {})
    const { items = {} } = document.properties?.included ?? {}
    const resources = [items.oneOf ?? items].flat().map((one) => resolved(one as SchemaObject))
    const included = resources.map(({ properties }) => properties?.type?.enum?.[0])

    expect(included.toSorted()).toEqual(types)
  })
})

describe('The described errors (specification, "Status and code table")', () => {
  const codesOf = ({ responses }: DescribedOperation) =>
    Object.values(responses).flatMap(({ content }) => Object.keys(content?.[json].examples ?? {}))

  it('have every code of the service', () => {
    expect(new Set(operations.flatMap(codesOf))).toEqual(new Set(Object.keys(errorCodes)))
  })

  it.each([
    ['countries.list', '200 304 400 401 405 406 429 500'],
    ['countries.get', '200 304 400 401 404 405 406 429 500'],
    ['countries.currencies.readMany', '200 304 400 401 404 405 406 429 500'],
    ['currencies.list', '200 304 400 401 405 406 429 500'],
    ['users.list', '200 304 400 401 405 406 429 500'],
    // And 404, for linkage to what is not there, as JSON:API 1.1 asks ("Creating Resources").
    ['users.create', '201 400 401 403 404 405 406 409 415 429 500'],
  ])('of %s are those of the specification, and 304: %s', (id, statuses) => {
    expect(Object.keys(operationOf(id).responses).join(' ')).toBe(statuses)
  })

  it('carry the headers of a refusal for want of tokens (specification, "Limits")', () => {
    const names = ['Burst-Capacity', 'Remaining', 'Replenish-Rate', 'Requested-Tokens']
    for (const { responses } of operations) {
      for (const name of names) {
        expect(responses[429]?.headers[`X-RateLimit-${name}`]).toMatchObject({
          required: true,
          schema: { type: 'integer', format: 'int32' },
        })
      }
      expect(responses[429]?.headers['Retry-After']?.required).toBe(true)
      expect(responses[401]?.headers['WWW-Authenticate']?.required).toBe(true)
      expect(responses[405]?.headers.Allow?.required).toBe(true)
    }
  })
})

describe('The described security (specification, "Authentication")', () => {
  it('has the two schemes with their flows, addresses and scopes', () => {
    expect(securitySchemes).toMatchObject({
      Client_Credentials: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://issuer.example/token', scopes: {} } },
      },
      Authorization_Code_With_PKCE: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://issuer.example/authorize',
            tokenUrl: 'https://issuer.example/token',
          },
        },
      },
    })
    const { scopes } = securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
    expect(Object.keys(scopes)).toEqual([
      ...['users.read', 'users.sensitive.read', 'users.citizenships.read', 'users.write'],
    ])
  })

  it.each([
    ['countries.list', undefined],
    ['users.get', undefined],
    ['users.create', 'users.write'],
    ['users.update', 'users.write'],
    ['users.citizenships.readMany', 'users.citizenships.read'],
    ['users.relatives.readMany', 'users.read'],
    ['users.relatives.removeMany', 'users.write'],
  ])('of %s asks for %s (contract, section 1)', (id, scope) => {
    expect(operationOf(id).security).toEqual(
      scope === undefined
        ? [{ Client_Credentials: [] }, { Authorization_Code_With_PKCE: [] }]
        : [{ Authorization_Code_With_PKCE: [scope] }],
    )
  })
})
