import { describe, expect, it } from 'vitest'
import { isRead, takesBody } from '../../../src/jsonapi/declare/operation.ts'
import { endpointsOf } from '../../../src/jsonapi/declare/registry.ts'
import { errorCodes } from '../../../src/jsonapi/errors.ts'
import { openApi } from '../../../src/openapi/document.ts'
import { registry } from '../../../src/resources/index.ts'
import { conformity } from '../../http/description/conformity.ts'
import { codesOf, contentOf, type SchemaObject } from '../../http/description/read-description.ts'
import { registry as secondRegistry } from '../db/second-domain/registry.ts'
import { json } from './library.ts'
import { describeService } from './service.ts'

/** The schemas of the service by name. */
function schemasOf() {
  return describeService().document.components.schemas
}

describe('The described documents', () => {
  it('have example bodies that are as described', () => {
    const { document, operations } = describeService()
    const conform = conformity(document)
    const bodies = operations.flatMap(({ operationId, requestBody }) => {
      if (!requestBody) {
        return []
      }
      const { schema, example, examples } = contentOf(requestBody.content)
      const named = Object.entries(examples ?? { [operationId]: { value: example } })
      return named.map(([name, { value }]) => ({ name, schema, value }))
    })

    // One for each operation that takes a body; of transactions one for each write, and one with a lid.
    const names = endpointsOf(registry).map(({ operation }) => operation)
    const writes = names.filter((name) => !isRead(name))
    expect(bodies).toHaveLength(names.filter(takesBody).length + writes.length + 1)
    for (const { name, schema, value } of bodies) {
      expect(() => conform(schema, value, name)).not.toThrow()
    }
  })

  it('tell what a user has (contract, section 18)', () => {
    const { attributes, relationships } = schemasOf().User.properties

    expect(Object.keys(attributes.properties)).toEqual([
      ...['fullName', 'email', 'addresses', 'creditCardNumber'],
    ])
    expect(Object.keys(relationships.properties)).toEqual([
      ...['citizenships', 'placeOfBirth', 'relatives'],
    ])
    expect(attributes.required).toBeUndefined()
  })

  it('tell the kinship of linkage (contract, section 18)', () => {
    expect(schemasOf().UserRelativesIdentifier.properties.meta).toMatchObject({
      properties: { relationshipType: { $ref: '#/components/schemas/RelationshipType' } },
      required: ['relationshipType'],
    })
    expect(schemasOf().RelationshipType.enum).toEqual([
      ...['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER'],
    ])
  })

  it('take on create what must be there, and no id (contract, section 6)', () => {
    const { data } = schemasOf().UserCreate.properties

    expect(data.required).toEqual(['type', 'attributes'])
    expect(data.properties).not.toHaveProperty('id')
    expect(data.properties.attributes.required).toEqual(['fullName', 'email'])
  })

  it('take on update any part, and the id (contract, section 6)', () => {
    const { data } = schemasOf().UserUpdate.properties

    expect(data.required).toEqual(['type', 'id'])
    expect(data.properties.attributes.required).toBeUndefined()
  })

  it('count and point to pages (contract, section 7)', () => {
    expect(schemasOf().UserList.properties.meta.properties).toMatchObject({
      'pagination.totalItems': { type: 'integer', format: 'int64' },
      'pagination.nextCursor': { type: 'string' },
    })
    expect(Object.keys(schemasOf().CountryList.properties.meta.properties)).toEqual([
      'pagination.nextCursor',
    ])
    expect(Object.keys(schemasOf().PageLinks.properties)).toEqual([
      ...['self', 'first', 'prev', 'next', 'last'],
    ])
  })

  it.each([
    ['countries.list', ['currencies']],
    ['users.list', ['countries', 'currencies', 'users']],
    ['users.citizenships.readMany', ['countries', 'currencies']],
  ])('of %s include %j', (id, types) => {
    const { operationOf, resolved } = describeService()
    const document = resolved(operationOf(id).responses[200]?.content?.[json]?.schema ?? {})
    const { items = {} } = document.properties?.included ?? {}
    const resources = [items.oneOf ?? items].flat().map((one) => resolved(one as SchemaObject))
    const included = resources.map(({ properties }) => properties?.type?.enum?.[0])

    expect(included.toSorted()).toEqual(types)
  })
})

describe('The schemas that a client author meets', () => {
  it('have the names that a person gives them', () => {
    const names = Object.keys(schemasOf())
    expect(names.filter((name) => /^(User|Countr|Currenc)/.test(name)).toSorted()).toEqual(
      [
        ...['User', 'UserCreate', 'UserUpdate', 'UserDocument', 'UserList'],
        ...['UserCitizenshipsDocument', 'UserCitizenshipsUpdate'],
        ...['UserPlaceOfBirthDocument', 'UserPlaceOfBirthIdentifier', 'UserPlaceOfBirthUpdate'],
        ...['UserRelativesDocument', 'UserRelativesIdentifier'],
        ...['UserRelativesUpdate', 'UserRelativesRemoval'],
        ...['Country', 'CountryDocument', 'CountryList', 'CountryIdentifier'],
        ...['CountryCurrenciesDocument', 'Currency', 'CurrencyList', 'CurrencyIdentifier'],
        ...['UserCitizenshipsList', 'UserRelativesList', 'UserPlaceOfBirthItem', 'CountryOrNull'],
        'CountryCurrenciesList',
      ].toSorted(),
    )
    expect(names).toEqual(
      expect.arrayContaining([
        ...['RelationshipType', 'Region', 'Transaction', 'TransactionResults'],
        ...['Address', 'AddressInput', 'ErrorObject', 'ErrorDocument', 'JsonApi', 'PageLinks'],
        'RelationshipPageLinks',
      ]),
    )
  })

  it('tell what removes a value where it is sent, and not where it is read', () => {
    const { User, UserCreate, UserUpdate } = schemasOf()
    const texts = (schema: unknown) =>
      JSON.stringify(schema).match(/(Null|An empty array) removes/g)

    expect(texts(User)).toBeNull()
    expect([texts(UserCreate), texts(UserUpdate)].map((all) => all?.length)).toEqual([2, 2])
  })

  it('have `lid` where it can be sent, and nowhere else', () => {
    const sent = /^(User\w*(Create|Update|Removal)|Transaction)$/
    for (const [name, schema] of Object.entries(schemasOf())) {
      expect([name, JSON.stringify(schema).includes('"lid"')]).toEqual([name, sent.test(name)])
    }
  })
})

describe('The described errors (contract, section 5)', () => {
  it('have every code of the service, each with an answer that was recorded', () => {
    const { operations } = describeService()

    const contents = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        content ? [contentOf(content).schema] : [],
      ),
    )
    expect(new Set(contents.flatMap(codesOf))).toEqual(new Set(Object.keys(errorCodes)))
    for (const { responses } of operations) {
      for (const { content } of Object.values(responses)) {
        const { example, examples = {}, schema = {} } = content ? contentOf(content) : {}
        const codes = content && codesOf(schema)
        expect(codes?.length ? Object.keys(examples) : content && [example !== undefined]).toEqual(
          codes?.length ? codes : content && [true],
        )
      }
    }
  })

  it.each([
    ['countries.list', '200 304 400 401 403 405 406 412 429 500'],
    ['countries.get', '200 304 400 401 403 404 405 406 412 429 500'],
    ['countries.currencies.readMany', '200 304 400 401 403 404 405 406 412 429 500'],
    ['currencies.list', '200 304 400 401 403 405 406 412 429 500'],
    ['users.list', '200 304 400 401 403 405 406 412 429 500'],
    // And 412, for a request with If-Match (contract, section 9); 404, for linkage to what is not there, as JSON:API 1.1 asks ("Creating Resources").
    ['users.create', '201 400 401 403 404 405 406 409 412 415 429 500'],
  ])('of %s are those of the contract, section 1: %s', (id, statuses) => {
    expect(Object.keys(describeService().operationOf(id).responses).join(' ')).toBe(statuses)
  })

  it('carry the headers of a refusal for want of tokens (contract, section 10)', () => {
    const names = ['Burst-Capacity', 'Remaining', 'Replenish-Rate', 'Requested-Tokens']
    for (const { responses } of describeService().operations) {
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

describe('The described security (contract, section 3)', () => {
  it.each([
    ['countries.list', undefined],
    ['users.get', undefined],
    ['users.create', 'users.write'],
    ['users.update', 'users.write'],
    ['users.citizenships.readMany', 'users.citizenships.read'],
    ['users.relatives.readMany', 'users.read'],
    ['users.relatives.removeMany', 'users.write'],
  ])('of %s asks for %s (contract, section 1)', (id, scope) => {
    expect(describeService().operationOf(id).security).toEqual(
      scope === undefined
        ? [{ Client_Credentials: [] }, { Authorization_Code_With_PKCE: [] }]
        : [{ Authorization_Code_With_PKCE: [scope] }],
    )
  })
})

describe('The description of a service with other resource types', () => {
  it('follows from its registry alone, with every reference leading somewhere', () => {
    const headers = { always: {}, limit: {}, session: {} }
    const about = {
      title: 'Articles',
      version: '1',
      description: '',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      scopes: {},
    }
    const surroundings = { server: 'https://a.example', authUrl: 'https://b.example', headers }
    const text = JSON.stringify(openApi(secondRegistry, about, surroundings))
    const document = JSON.parse(text)
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)

    expect(Object.keys(document.paths)).toContain('/articles')
    expect(text).not.toMatch(/users|countries|currencies/)
    expect(references.length).toBeGreaterThan(50)
    for (const reference of references) {
      const target = reference.split('/').reduce((node, name) => node?.[name], document)
      expect(target, reference).toBeDefined()
    }
  })
})
