import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { Draft } from '../../../src/openapi/components.ts'
import { exampleOf, schemaObject } from '../../../src/openapi/json-schema.ts'
import { registry } from '../db/second-domain/registry.ts'

describe('A schema in a description (OpenAPI 3.0.1, "Schema Object")', () => {
  it('of the input is closed, of the output open, since a later version may add members', () => {
    const schema = z.strictObject({ a: z.string() })
    const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

    expect(schemaObject(schema, 'input')).toEqual({ ...open, additionalProperties: false })
    expect(schemaObject(schema, 'output')).toEqual(open)
  })

  it('has a sentence about requests in those alone, one example, and no id that an example may delete', () => {
    const said = {
      description: 'A.',
      inRequests: 'Send it.',
      expendable: '6',
      examples: ['a', 'b'],
    }
    const schema = z.string().check(z.meta(said))

    const described = { type: 'string', example: 'a' }
    expect(schemaObject(schema, 'input')).toEqual({ ...described, description: 'A. Send it.' })
    expect(schemaObject(schema, 'output')).toEqual({ ...described, description: 'A.' })
  })

  it.each([
    ['the bound that every safe integer has', z.int(), undefined],
    ['a bound of its own', z.int().check(z.maximum(7)), 7],
  ])('is of 64 bits where it is a whole number: %s', (_, schema, maximum) => {
    const described = schemaObject(schema, 'input')

    expect(described).toMatchObject({ type: 'integer', format: 'int64' })
    expect(described.maximum).toBe(maximum)
  })
})

describe('A schema with a title', () => {
  const address = { type: 'object', title: 'Address', properties: { city: { type: 'string' } } }
  const draft = () => new Draft(registry, { always: {}, limit: {}, session: {} })

  it('is a component, with a name of its own in requests where it is an object', () => {
    const made = draft()
    const color = { type: 'string', title: 'Color', enum: ['red'] }
    const list = { type: 'array', items: address }

    expect(made.named(list, 'output').items).toEqual({ $ref: '#/components/schemas/Address' })
    expect(made.named(address, 'input')).toEqual({ $ref: '#/components/schemas/AddressInput' })
    expect(made.named(color, 'input')).toEqual({ $ref: '#/components/schemas/Color' })
  })

  it('must be the only one with the title', () => {
    const made = draft()
    const reference = made.named(address, 'output')

    expect(made.named({ ...address }, 'output')).toEqual(reference)
    expect(() => made.named({ type: 'string', title: 'Address' }, 'output')).toThrow(
      'Two schemas have the title Address',
    )
  })
})

describe('The example of a schema', () => {
  it.each([
    ['whose example is false', { example: false, items: { example: 1 } }, false],
    ['of a list of what has none', { items: {} }, undefined],
    ['of an object', { properties: { a: { items: { example: 1 } }, b: {} } }, { a: [1] }],
    ['of an object of what has none', { properties: { b: {} } }, undefined],
  ])('%s is %j', (_, schema, example) => {
    expect(exampleOf(schema)).toEqual(example)
  })
})
