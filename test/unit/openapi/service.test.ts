import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { errorCodes } from '../../../src/jsonapi/problems.ts'
import { filtersOf } from '../../../src/jsonapi/request/query-parameters.ts'
import { countries } from '../../../src/resources/countries.ts'
import { codesOf, contentOf } from '../../http/description/read-description.ts'
import { describeService } from './service.ts'

/** The schemas of the service by name. */
function schemasOf() {
  return describeService().document.components.schemas
}

describe('The schemas that a client author meets', () => {
  it('have an address of its own for answers and for requests, neither of which may be empty', () => {
    const { Address, AddressInput } = schemasOf()
    expect([Address.minProperties, AddressInput.minProperties]).toEqual([1, 1])
  })

  it('name the regions, in any case, as the filter takes them', () => {
    const { parameters } = describeService().operationOf('countries.list')
    const region = parameters.find(({ name }) => name === 'filter[region]')
    const { description = '', pattern, ...item } = region?.schema.items ?? {}
    const names: readonly string[] = schemasOf().Region.enum
    const filter = filtersOf(countries).region?.()

    expect(item).toEqual({ type: 'string', example: 'Europe' })
    expect(names).toHaveLength(6)
    for (const name of names) {
      expect(description).toContain(name)
      const spellings = [name, name.toLowerCase(), name.toUpperCase()]
      for (const sent of [...spellings, `${name}s`, ` ${name}`, name.slice(1)]) {
        const isTaken = filter && z.safeParse(filter, sent).success
        expect([sent, new RegExp(String(pattern)).test(sent)]).toEqual([sent, isTaken])
        expect(isTaken).toBe(spellings.includes(sent))
      }
    }
  })

  it('tell what removes a value where it is sent, and not where it is read', () => {
    const { User, UserCreate, UserUpdate } = schemasOf()
    const texts = (schema: unknown) =>
      JSON.stringify(schema).match(/(Null|An empty array) removes/g)

    expect(texts(User)).toBeNull()
    expect(texts(UserCreate)).toContain('Null removes')
    expect(texts(UserUpdate)).toEqual(texts(UserCreate))
  })

  it('allow a list as many items as page[limit] may ask for', () => {
    const { UserList, UserRelativesList, CountryList } = schemasOf()
    const lists = [UserList, UserRelativesList, CountryList]
    expect(lists.map(({ properties }) => properties?.data?.maxItems)).toEqual([100, 100, 20])
  })

  it('have `lid` where it can be sent, and nowhere else', () => {
    const sent = /^(User\w*(Create|Update|Removal)|Transaction|OperationData)$/
    for (const [name, schema] of Object.entries(schemasOf())) {
      expect([name, JSON.stringify(schema).includes('"lid"')]).toEqual([name, sent.test(name)])
    }
  })
})

describe('The described errors', () => {
  it('have every code of the service', () => {
    const { operations } = describeService()

    const contents = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        content ? [contentOf(content).schema] : [],
      ),
    )
    expect(new Set(contents.flatMap(codesOf))).toEqual(new Set(Object.keys(errorCodes)))
  })
})
