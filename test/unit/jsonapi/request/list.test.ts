import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ofSchema, oneOf } from '../../../../src/jsonapi/request/list.ts'

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
