import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { endpointsOf } from '../../../src/jsonapi/declare/registry.ts'
import { filterSchemas } from '../../../src/jsonapi/request/query-parameters.ts'
import { countries } from '../../../src/resources/countries.ts'
import { description30 } from '../../http/description/openapi.ts'
import { registry } from '../db/second-domain/registry.ts'
import { describeOther } from './second-domain.ts'

const service = description30
const other = describeOther()

describe('The description of the service', () => {
  const { schemas } = service.document.components

  it('has an address of its own for answers and for requests, neither of which may be empty', () => {
    const { Address, AddressInput } = schemas
    expect([Address.minProperties, AddressInput.minProperties]).toEqual([1, 1])
  })

  it('names the regions, in any case, as the filter takes them', () => {
    const { parameters = [] } = service.operationOf('listCountries') ?? {}
    const region = parameters.find(({ name }) => name === 'filter[region]')
    const { description, pattern } = region?.schema.items ?? {}
    const names: readonly string[] = schemas.Region.enum
    const filter = filterSchemas(countries).region?.()

    expect(names).toHaveLength(6)
    for (const name of names) {
      expect(description).toContain(name)
      for (const sent of [name, name.toLowerCase(), name.toUpperCase(), `${name}s`, ` ${name}`]) {
        const isTaken = filter && z.safeParse(filter, sent).success
        expect([sent, new RegExp(String(pattern)).test(sent)]).toEqual([sent, isTaken])
      }
    }
  })

  it('allows a list as many items as page[limit] may ask for', () => {
    const lists = ['UserList', 'UserRelativesList', 'CountryList'].map((name) => schemas[name])
    expect(lists.map(({ properties }) => properties?.data?.maxItems)).toEqual([100, 100, 20])
  })

  it('has one parameter for a list, with commas between its items, as the service takes it', () => {
    const all = service.operations.flatMap(({ parameters }) => parameters)
    const lists = all.filter(({ schema }) => schema.type === 'array')
    expect(lists.length).toBeGreaterThan(20)
    expect(lists.filter(({ style, explode }) => style !== 'form' || explode !== false)).toEqual([])
  })

  it('has `lid` where it can be sent, and nowhere else', () => {
    const sent = /^(User\w*(Create|Update|Removal)|Transaction|OperationData)$/
    for (const [name, schema] of Object.entries(schemas)) {
      expect([name, JSON.stringify(schema).includes('"lid"')]).toEqual([name, sent.test(name)])
    }
  })
})

describe('The description of another service', () => {
  const { document, operations } = other
  const { schemas } = document.components

  it('has its operations, each with a name of letters, and nothing of the first one', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(names).toHaveLength(endpointsOf(registry).length + 1)
    expect(new Set(names).size).toBe(names.length)
    expect(names.join('')).toMatch(/^[A-Za-z]+$/)
    expect(JSON.stringify(document)).not.toMatch(/users|countries|currencies/)
  })

  it('closes what requests send, leaves answers open, and has whole numbers of 64 bits', () => {
    const attributesOf = (name: string) => schemas[name].properties.attributes.properties
    const layout = { columns: { type: 'integer', format: 'int64' } }
    expect(attributesOf('Articles').layout).toMatchObject({ properties: layout })
    expect(attributesOf('Articles').layout).not.toHaveProperty('additionalProperties')
    const { data } = schemas.ArticlesCreate.properties
    expect(data.properties.attributes.properties.layout.additionalProperties).toBe(false)
  })
})

it.each([
  ['of the service', service],
  ['of another one', other],
])(
  'The description %s has the components that are referred to, and no others',
  (_, { document, resolved }) => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    const names = new Set(references.map(([, name = '']) => name))
    const { securitySchemes: _schemes, ...sections } = document.components
    const described = Object.entries<object>(sections).flatMap(([section, named]) =>
      Object.keys(named).map((name) => `#/components/${section}/${name}`),
    )
    expect(described.toSorted()).toEqual([...names].toSorted())
    for (const $ref of names) {
      expect(Object.keys(resolved<object>({ $ref })), $ref).not.toEqual([])
    }
  },
)
