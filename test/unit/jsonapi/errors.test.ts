import { describe, expect, it, vi } from 'vitest'
import {
  ApiError,
  type ErrorCode,
  errorCodes,
  FaultList,
  listed,
  type Problem,
  quote,
  sentence,
} from '../../../src/jsonapi/errors.ts'

const problem = (code: ErrorCode): Problem => ({ code, detail: 'd' })

describe('the status of several problems (contract, section 2)', () => {
  it.each<[ErrorCode, ErrorCode, number]>([
    ['VALUE_IS_ABSENT', 'INVALID_ENUM_VALUE', 400],
    ['NOT_FOUND', 'NOT_FOUND', 404],
    ['CLIENT_GENERATED_ID_NOT_SUPPORTED', 'CONFLICT', 400],
    ['VALUE_INVALID_FORMAT', 'CLIENT_GENERATED_ID_NOT_SUPPORTED', 400],
  ])('of %s and %s is %d', (one, other, status) => {
    expect(new ApiError([problem(one), problem(other)]).status).toBe(status)
  })
})

describe('an error', () => {
  it('has a title that no other code has (contract, section 5)', () => {
    const titles = Object.values(errorCodes).map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
  })

  it('of one problem keeps code, detail, source and headers, and has no source where there is none', () => {
    const error = ApiError.of('CONFLICT', 'd', { pointer: '/data' }, { Allow: 'GET' })
    expect(error.problems).toEqual([
      { code: 'CONFLICT', detail: 'd', source: { pointer: '/data' } },
    ])
    expect(error.headers).toEqual({ Allow: 'GET' })
    expect(error.name).toBe('ApiError')
    expect(ApiError.of('CONFLICT', 'd').problems).toStrictEqual([problem('CONFLICT')])
  })

  it('says in its message no more than its codes: details may repeat what was sent', () => {
    expect(new ApiError([problem('CONFLICT'), problem('NOT_FOUND')]).message).toBe(
      'CONFLICT, NOT_FOUND',
    )
  })
})

describe('a list of faults (contract, section 5)', () => {
  it('makes the first 50 problems, and counts the others', () => {
    const faults = new FaultList()
    const make = vi.fn(() => problem('CONFLICT'))
    for (let count = 0; count < 6_000; count++) {
      faults.add(make)
    }
    expect(faults).toMatchObject({ problems: Array(50).fill(problem('CONFLICT')), omitted: 5_950 })
    expect(make).toHaveBeenCalledTimes(50)
  })

  it('joins others: their problems as far as there is room, and what they have not told', () => {
    const some = { problems: Array(30).fill(problem('CONFLICT')), omitted: 0 }
    const more = { problems: Array(50).fill(problem('NOT_FOUND')), omitted: 7 }
    const { problems, omitted } = new FaultList().join(some, more)
    expect(problems.map(({ code }) => code)).toEqual([
      ...Array(30).fill('CONFLICT'),
      ...Array(20).fill('NOT_FOUND'),
    ])
    expect(omitted).toBe(37)
  })
})

describe('the stack of a refusal', () => {
  it('is not taken, and errors that come after it have theirs', () => {
    const limit = Error.stackTraceLimit
    expect(ApiError.of('NOT_FOUND', 'Gone.').stack).toBe('ApiError: NOT_FOUND')
    expect(Error.stackTraceLimit).toBe(limit)
    expect(new Error('a fault').stack).toContain('errors.test.ts')
  })
})

describe('a sentence of an error (contract, section 5)', () => {
  it.each<[value: unknown, text: string]>([
    ['x', 'It is "x", but must be y.'],
    ['', 'It is "", but must be y.'],
    [1, 'It is 1, but must be y.'],
    [false, 'It is false, but must be y.'],
    [{}, 'It must be y.'],
    [null, 'It must be y.'],
    [undefined, 'It must be y.'],
  ])('of %j reads %s', (value, text) => {
    expect(sentence('It', 'must be y', value)).toBe(text)
  })
})

describe('a value as an error repeats it', () => {
  it.each<[value: unknown, text: string]>([
    ['a\n"b"', '"a\\n\\"b\\""'],
    [1, '"1"'],
    [false, '"false"'],
    [['a'], '"[\\"a\\"]"'],
    [undefined, '"nothing"'],
    ['x'.repeat(64), `"${'x'.repeat(64)}"`],
    ['x'.repeat(65), `"${'x'.repeat(64)}…"`],
    [`${'x'.repeat(63)}😀`, `"${'x'.repeat(63)}\ufffd…"`],
    ['\ud800', '"\ufffd"'],
  ])('%j is %s: short, well-formed and on one line', (value, text) => {
    expect(quote(value)).toBe(text)
  })
})

describe('allowed values', () => {
  it.each<[values: unknown[], text: string]>([
    [[], 'none'],
    [['a'], 'a'],
    [['a', 1], 'a, 1'],
  ])('%j are listed as %s', (values, text) => {
    expect(listed(values)).toBe(text)
  })
})
