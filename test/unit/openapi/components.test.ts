import { describe, expect, it } from 'vitest'
import { createComponents } from '../../../src/openapi/components.ts'

const address = { type: 'object', title: 'Address', properties: { city: { type: 'string' } } }

describe('The components of a description (OpenAPI 3.0.1, "Components Object")', () => {
  it('take the part of a schema that has a title, under that name', () => {
    const { named, used } = createComponents()
    const list = { type: 'array', items: address }

    expect(named(list, 'output')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Address' },
    })
    expect(used.schemas).toEqual({
      Address: { type: 'object', properties: { city: { type: 'string' } } },
    })
  })

  it('name an object of a request apart from that of an answer, and nothing else', () => {
    const { named, used } = createComponents()
    named(address, 'output')

    expect(named(address, 'input')).toEqual({ $ref: '#/components/schemas/AddressInput' })
    const color = { type: 'string', title: 'Color', enum: ['red'] }
    expect(named(color, 'input')).toEqual({ $ref: '#/components/schemas/Color' })
    expect(Object.keys(used.schemas ?? {})).toEqual(['Address', 'AddressInput', 'Color'])
  })

  it('take an equal schema with the same title again', () => {
    const { named } = createComponents()
    const reference = named(address, 'output')

    expect(named({ ...address }, 'output')).toEqual(reference)
  })

  it('refuse two different schemas with one title', () => {
    const { named } = createComponents()
    named(address, 'output')

    expect(() => named({ type: 'string', title: 'Address' }, 'output')).toThrow(
      'Two schemas have the title Address',
    )
  })

  it('describe a component once, even where it refers to itself', () => {
    const { use, used } = createComponents()
    const again = () => use('schemas', 'Tree', () => ({ type: 'string' }))
    const reference = use('schemas', 'Tree', () => ({ type: 'array', items: again() }))

    expect(again()).toEqual(reference)
    expect(used.schemas?.Tree).toEqual({ type: 'array', items: reference })
  })
})
