import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { listOfNames, listOfValues } from '../../../../src/jsonapi/request/parameters.ts'

describe('an item of a list (contract, section 6)', () => {
  const form = z.string().check(z.minLength(3), z.regex(/^A/, 'must begin with A'), z.toLowerCase())
  const lower = listOfValues('x', () => form, 1)
  const names = listOfNames('x', () => ['a', 'b'])
  const source = { parameter: 'x' }

  it('is taken in the form that its schema gives it', () => {
    expect(lower.validate('ABC')).toEqual({ value: ['abc'], problems: [], omitted: 0 })
    expect(names.validate('b')).toEqual({ value: ['b'], problems: [], omitted: 0 })
  })

  it.each([
    ['x', '"x" must have at least 3 characters and must begin with A.'],
    ['xyz', '"xyz" must begin with A.'],
  ])('is told with all that is wrong with it: %s', (item, detail) => {
    const { problems } = lower.validate(item)
    expect(problems).toEqual([{ code: 'VALUE_INVALID_FORMAT', detail, source }])
  })

  it('that is no known name is told with those that are', () => {
    const detail = '"c" is not one of: a, b.'
    expect(names.validate('c').problems).toEqual([{ code: 'INVALID_ENUM_VALUE', detail, source }])
  })
})

describe('a list (contract, section 6)', () => {
  const list = listOfNames('x', () => ['a', 'b'], 2)
  const told = (text: string) => {
    const { value, problems } = list.validate(text)
    return [value, ...problems.map(({ detail }) => detail)]
  }

  it.each<[text: string, items: readonly string[], ...details: string[]]>([
    ['', []],
    ['b,a', ['b', 'a']],
    ['a,a', ['a']],
    ['a,c', ['a'], '"c" is not one of: a, b.'],
    ['a,a,a', ['a'], 'The list has 3 items, but at most 2 items are allowed.'],
    ['a\0', [], '"a\\u0000" must be well-formed and hold no NUL.'],
    ['a,\ud800', [], '"a,\ufffd" must be well-formed and hold no NUL.'],
  ])('gives its valid items and its faults: %j', (text, ...expected) => {
    expect(told(text)).toEqual(expected)
  })

  it('is described by its items and its bound', () => {
    expect(z.toJSONSchema(list.schema())).toMatchObject({
      type: 'array',
      maxItems: 2,
      items: { enum: ['a', 'b'] },
    })
    expect(z.toJSONSchema(listOfNames('x', () => ['a']).schema())).not.toHaveProperty('maxItems')
    expect(z.toJSONSchema(listOfValues('x', () => z.string(), 3).schema())).toMatchObject({
      maxItems: 3,
      items: { type: 'string' },
    })
  })
})
