import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { exampleOf, schemaObject } from '../../../src/openapi/schema.ts'

describe('A schema in a description (OpenAPI 3.0.1, "Schema Object")', () => {
  it('of the input is closed, of the output open, since a later version may add members', () => {
    const schema = z.strictObject({ a: z.string() })
    const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

    expect(schemaObject(schema, 'input')).toEqual({ ...open, additionalProperties: false })
    expect(schemaObject(schema, 'output')).toEqual(open)
  })

  it('names no members of an object that may have any', () => {
    const any = { type: 'object', additionalProperties: {} }

    expect(schemaObject(z.looseObject({}), 'input')).toEqual(any)
  })

  it('tells the input and the output of what is transformed', () => {
    const schema = z.pipe(z.pipe(z.string(), z.transform(Number)), z.number())

    expect(schemaObject(schema, 'input')).toEqual({ type: 'string' })
    expect(schemaObject(schema, 'output')).toEqual({ type: 'number' })
  })

  it('admits anything where Zod cannot tell what comes of it', () => {
    expect(schemaObject(z.transform(Number), 'output')).toEqual({})
  })

  it('tells a sentence about requests in those alone, and no id that an example may delete', () => {
    const schema = z
      .string()
      .check(z.meta({ description: 'A.', inRequests: 'Send it.', expendable: '6' }))

    expect(schemaObject(schema, 'input')).toEqual({ type: 'string', description: 'A. Send it.' })
    expect(schemaObject(schema, 'output')).toEqual({ type: 'string', description: 'A.' })
  })

  it('has the first of several examples as its only one', () => {
    const schema = z.string().check(z.meta({ examples: ['a', 'b'] }))

    expect(schemaObject(schema, 'input')).toEqual({ type: 'string', example: 'a' })
  })

  it.each([
    ['the bound that every safe integer has', z.int(), undefined],
    ['a bound of its own', z.int().check(z.maximum(7)), 7],
  ])('is of 64 bits where it is a whole number: %s', (_, schema, maximum) => {
    const described = schemaObject(schema, 'input')

    expect(described).toMatchObject({ type: 'integer', format: 'int64' })
    expect(described.maximum).toBe(maximum)
  })

  it('leaves other numbers as they are', () => {
    const most = Number.MAX_SAFE_INTEGER

    expect(schemaObject(z.number().check(z.maximum(most)), 'input')).toEqual({
      type: 'number',
      maximum: most,
    })
  })

  it('leaves out members that admit nothing', () => {
    const never = z.optional(z.unknown().check(z.meta({ not: {} })))
    const { properties } = schemaObject(z.object({ a: z.string(), never }), 'input')

    expect(properties).toEqual({ a: { type: 'string' } })
  })
})

describe('The example of a schema', () => {
  it.each([
    ['that has one', { example: 'a', enum: ['b'] }, 'a'],
    ['whose example is false', { example: false, items: { example: 1 } }, false],
    ['of values', { type: 'string', enum: ['b', 'c'] }, 'b'],
    ['of a list', { items: { example: 1 } }, [1]],
    ['of a list of what has none', { items: {} }, undefined],
    ['of an object', { properties: { a: { example: 1 }, b: {} } }, { a: 1 }],
    ['of an object of what has none', { properties: { b: {} } }, undefined],
    ['that has none', { type: 'string' }, undefined],
  ])('%s is %j', (_, schema, example) => {
    expect(exampleOf(schema)).toEqual(example)
  })
})
