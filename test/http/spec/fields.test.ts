import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { fields } from '../../support/fields.ts'
import { createUser, toCountries } from '../../support/people.ts'
import { get } from '../../support/service.ts'
import { description } from '../description/openapi.ts'
import type { SchemaObject } from '../description/read-description.ts'

describe('resource objects', () => {
  it('are described with the fields of the table and no others', () => {
    const resources = Object.values<SchemaObject>(description.components.schemas)
      .map(({ properties = {} }) => properties)
      .filter(({ type, attributes }) => type?.enum && attributes)
    const namesIn = (schema: SchemaObject | undefined) =>
      Object.keys(schema?.properties ?? {}).sort()
    const described = resources.map(({ type, attributes, relationships }) => [
      type?.enum?.[0],
      { attributes: namesIn(attributes), relationships: namesIn(relationships) },
    ])
    const advice = 'A new type or field goes into the table of test/support/fields.ts'
    expect(Object.fromEntries(described), advice).toEqual(fields)
  })

  it.each(Object.keys(fields))('of %s have the fields of the table and no others', async (type) => {
    const { id, token } = await createUser({
      attributes: { addresses: [{ city: 'Oslo' }], creditCardNumber: '4242 4242 4242 4242' },
      relationships: { citizenships: toCountries('NO') },
    })
    const { document } = await get(`/users/${id}?include=citizenships.currencies`, token)
    const all: Resource[] = [document.data, ...(document.included ?? [])]
    const resource = all.find((candidate) => candidate.type === type)
    expect(Object.keys(resource?.attributes ?? {}).sort()).toEqual(fields[type]?.attributes)
    expect(Object.keys(resource?.relationships ?? {}).sort()).toEqual(fields[type]?.relationships)
  })
})
