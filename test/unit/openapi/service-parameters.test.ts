import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { filtersOf } from '../../../src/jsonapi/declare/readable.ts'
import { countries } from '../../../src/resources/countries.ts'
import type { Parameter } from '../../http/description/read-description.ts'
import { describeService } from './service.ts'

/** The parameters of the query string of one of the service's operations, by name. */
function queryOf(id: string): Readonly<Record<string, Parameter>> {
  const { parameters } = describeService().operationOf(id)
  const query = parameters.filter((one) => one.in === 'query')
  return Object.fromEntries(query.map((one) => [one.name, one]))
}

/** What each endpoint takes (contract, section 1), with the fieldsets of what its includes reach. */
const taken = [
  {
    id: 'countries.list',
    names: 'include fields[countries] fields[currencies] page[cursor] filter[id] filter[region]',
  },
  { id: 'countries.get', names: 'include fields[countries] fields[currencies]' },
  {
    id: 'countries.currencies.readMany',
    names: 'include fields[countries] fields[currencies] page[cursor] filter[id]',
  },
  { id: 'countries.currencies.relatedMany', names: 'fields[currencies] page[cursor] filter[id]' },
  {
    id: 'users.citizenships.readMany',
    names:
      'include fields[users] fields[countries] fields[currencies] page[cursor] filter[id] filter[region]',
  },
  {
    id: 'users.citizenships.relatedMany',
    names: 'include fields[countries] fields[currencies] page[cursor] filter[id] filter[region]',
  },
  {
    id: 'users.placeOfBirth.relatedOne',
    names: 'include fields[countries] fields[currencies]',
  },
  {
    id: 'users.relatives.relatedMany',
    names:
      'include fields[users] fields[countries] fields[currencies] page[cursor] page[limit] sort filter[id]',
  },
  { id: 'currencies.list', names: 'fields[currencies] page[cursor] filter[id]' },
  {
    id: 'users.list',
    names:
      'include fields[users] fields[countries] fields[currencies] page[cursor] page[limit] page[offset] sort filter[id]',
  },
  { id: 'users.create', names: 'fields[users] fields[countries] fields[currencies]' },
  { id: 'users.get', names: 'include fields[users] fields[countries] fields[currencies]' },
  { id: 'users.update', names: '' },
  { id: 'users.delete', names: '' },
  { id: 'users.relatives.addMany', names: '' },
]

describe('The described parameters (contract, section 6)', () => {
  it.each(taken)('of $id are $names', ({ id, names }) => {
    const described = Object.keys(queryOf(id))

    expect(described.toSorted()).toEqual(names.split(' ').filter(Boolean).toSorted())
  })

  it.each([
    ['countries.list', 'include', 10],
    ['countries.list', 'filter[id]', 20],
    ['countries.list', 'filter[region]', 20],
    ['users.list', 'include', 10],
    ['users.list', 'filter[id]', 20],
    ['users.list', 'sort', 5],
  ])('of %s: %s is a list in one value, of at most %i', (id, name, most) => {
    expect(queryOf(id)[name]).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', maxItems: most },
    })
  })

  it('bound the pages of users', () => {
    const query = queryOf('users.list')
    const int64 = { type: 'integer', format: 'int64' }

    expect(query['page[limit]']?.schema).toEqual({
      ...int64,
      minimum: 1,
      maximum: 100,
      default: 20,
    })
    expect(query['page[offset]']?.schema).toEqual({ ...int64, minimum: 0, default: 0 })
  })

  it('name the sort keys, the includes to the depth of three and the fields with dots', () => {
    const { include, sort, 'fields[users]': fields } = queryOf('users.list')

    expect(sort?.schema.items?.enum).toEqual(['fullName', '-fullName', 'email', '-email'])
    expect(include?.schema.items?.enum).toEqual(
      expect.arrayContaining(['relatives', 'relatives.placeOfBirth.currencies']),
    )
    expect(fields?.schema.items?.enum).toEqual(
      expect.arrayContaining(['fullName', 'addresses.city', 'relatives']),
    )
  })

  it('name the regions, in any case (contract, section 6)', () => {
    const { 'filter[region]': region } = queryOf('countries.list')
    const { description = '', pattern, ...item } = region?.schema.items ?? {}
    const names: readonly string[] = describeService().document.components.schemas.Region.enum
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

  it('bound the id in paths to 64 characters', () => {
    const ids = describeService()
      .operations.filter(({ path }) => path.includes('{id}'))
      .map(({ parameters }) => parameters.find((one) => one.in === 'path'))

    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids) {
      expect(id).toMatchObject({ name: 'id', required: true, schema: { maxLength: 64 } })
    }
  })
})
