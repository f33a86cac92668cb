import { describe, expect, it } from 'vitest'
import { get, person } from '../harness/service.ts'
import { type DescribedOperation, operationOf, operations, type Parameter } from './openapi.ts'

/** The parameters of an operation's query string, by name. */
function queryOf({ parameters }: DescribedOperation): Readonly<Record<string, Parameter>> {
  const query = parameters
    .filter((one) => one.in === 'query')
    .map((one) => [one.name, one] as const)
  return Object.fromEntries(query)
}

/** The tables of the specification, "Countries", "Currencies" and "Users"; the fieldsets of what includes reach besides. */
const taken = [
  {
    id: 'countries.list',
    names: 'include fields[countries] fields[currencies] page[cursor] filter[id] filter[region]',
  },
  { id: 'countries.get', names: 'include fields[countries] fields[currencies]' },
  {
    id: 'countries.currencies.readMany',
    names: 'include fields[countries] fields[currencies] page[cursor]',
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

describe('The described parameters (specification, "Common query parameters" and "Limits")', () => {
  it.each(taken)('of $id are $names', ({ id, names }) => {
    const described = Object.keys(queryOf(operationOf(id)))

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
    expect(queryOf(operationOf(id))[name]).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', maxItems: most },
    })
  })

  it('bound the pages of users', () => {
    const query = queryOf(operationOf('users.list'))
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
    const { include, sort, 'fields[users]': fields } = queryOf(operationOf('users.list'))

    expect(sort?.schema.items?.enum).toEqual(['fullName', '-fullName', 'email', '-email'])
    expect(include?.schema.items?.enum).toEqual(
      expect.arrayContaining(['relatives', 'relatives.placeOfBirth.currencies']),
    )
    expect(fields?.schema.items?.enum).toEqual(
      expect.arrayContaining(['fullName', 'addresses.city', 'relatives']),
    )
  })

  it('name the regions', () => {
    const { 'filter[region]': region } = queryOf(operationOf('countries.list'))

    expect(region?.schema.items?.enum).toHaveLength(6)
  })

  it('bound the id in paths to 64 characters', () => {
    const ids = operations
      .filter(({ path }) => path.includes('{id}'))
      .map(({ parameters }) => parameters.find((one) => one.in === 'path'))

    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids) {
      expect(id).toMatchObject({ name: 'id', required: true, schema: { maxLength: 64 } })
    }
  })

  const exemplary = operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) =>
      Object.values(queryOf(operation)).map((parameter) => ({ operation, parameter })),
    )

  it.each(exemplary)(
    'have examples that the service takes: $operation.operationId $parameter.name',
    async ({ operation, parameter }) => {
      const id = operation.parameters.find((one) => one.in === 'path')?.example
      const value = encodeURIComponent([parameter.example].flat().join(','))
      const path = `${operation.path.replace('{id}', String(id))}?${parameter.name}=${value}`
      const { status, document } = await get(
        path,
        await person(`examples-${operation.operationId}`),
      )

      expect(parameter.description).toBeTruthy()
      if (parameter.name === 'page[cursor]') {
        // A cursor that this server has not made can only be refused.
        expect(document.errors?.[0]).toMatchObject({ code: 'VALUE_INVALID_FORMAT' })
      } else {
        expect(status).toBe(200)
      }
    },
  )
})
