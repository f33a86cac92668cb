import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listOfNames, listOfValues, ofSchema, oneOf } from '../../../../src/jsonapi/request/list.ts'

describe('an item of a list (contract, section 6)', () => {
  const lower = ofSchema(z.string().min(3).regex(/^A/, 'must begin with A').toLowerCase())

  it('is taken in the form that its schema gives it', () => {
    expect(lower('ABC')).toEqual({ value: 'abc' })
    expect(oneOf(['a', 'b'])('b')).toEqual({ value: 'b' })
  })

  it.each([
    ['x', '"x" must have at least 3 characters and must begin with A.'],
    ['xyz', '"xyz" must begin with A.'],
  ])('is told with all that is wrong with it: %s', (item, detail) => {
    const judged = lower(item)
    expect('hint' in judged && judged.hint()).toEqual({ code: 'VALUE_INVALID_FORMAT', detail })
  })

  it('that is no known name is told with those that are', () => {
    const judged = oneOf(['a', 'b'])('c')
    expect('hint' in judged && judged.hint()).toEqual({
      code: 'INVALID_ENUM_VALUE',
      detail: '"c" is not one of: a, b.',
    })
  })
})

describe('a list (contract, section 6)', () => {
  const list = listOfNames(['a', 'b'], 2)
  const told = (text: string) => {
    const { items, faults } = list.judge(text)
    return [items, ...faults.problems.map(({ detail }) => detail)]
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
    expect(z.toJSONSchema(listOfNames(['a']).schema())).not.toHaveProperty('maxItems')
    expect(z.toJSONSchema(listOfValues(z.string(), 3).schema())).toMatchObject({
      maxItems: 3,
      items: { type: 'string' },
    })
  })
})
