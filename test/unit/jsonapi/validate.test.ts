import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { onWhole, pointerTo, type Schema, validateWith } from '../../../src/jsonapi/zod.ts'

it.each<[words: string, schema: Schema, input: unknown]>([
  ['must have at most 3 characters', z.string().check(z.maxLength(3)), 'four'],
  ['must have at least 1 character', z.string().check(z.minLength(1)), ''],
  ['must have at most 1 item', z.array(z.unknown()).check(z.maxLength(1)), [1, 2]],
  ['must have at least 1 item', z.array(z.unknown()).check(z.minLength(1)), []],
  ['must be at most 2', z.number().check(z.maximum(2)), 3],
  ['must be at least 2', z.number().check(z.minimum(2)), 1],
  ['must be true or false', z.boolean(), 'x'],
  ['must be a whole number', z.int(), 1.5],
  ['must be of type date', z.date(), 'x'],
  ['must have the format email', z.email(), 'x'],
  ['must be an x', z.string().check(z.regex(/x/, 'must be an x')), 'y'],
])('what a schema asks for, in words, is "%s"', (words, schema, input) => {
  const said: string[] = []
  expect(validateWith(schema, input, ({ message }) => said.push(message))).toBeUndefined()
  expect(said).toEqual([words])
})

it.each<[what: string, schema: Schema, input: unknown]>([
  ['an empty array for a text', z.string().check(z.minLength(1)), []],
  ['a long array for a text', z.string().check(z.maxLength(1)), [1, 2]],
  ['a long text for an array', z.array(z.string()).check(z.maxLength(1)), 'xx'],
])('a value of the wrong kind is not measured: %s', (_, schema, input) => {
  const said: string[] = []
  validateWith(schema, input, ({ code }) => said.push(code))
  expect(said).toEqual(['invalid_type'])
})

describe('a check of a whole value', () => {
  const whole = z
    .strictObject({ a: z.optional(z.string().check(z.maxLength(1))) })
    .check(onWhole((value) => 'a' in value, 'must have a'))
  const said = (input: unknown) => {
    const told: string[] = []
    validateWith(whole, input, (issue) => told.push(`${issue.code} ${issue.path.join('.')}`))
    return told
  }

  it('is made even where something inside is wrong', () => {
    expect(said({ b: 1 })).toEqual(['unrecognized_keys ', 'custom '])
    expect(said({ a: 'xx' })).toEqual(['too_big a'])
    expect(said({})).toEqual(['custom '])
    expect(said({ a: 'x' })).toEqual([])
  })

  it.each([['x'], [null], [[]], [7]])('is not made on %j, which is of another kind', (input) => {
    expect(said(input)).toEqual(['invalid_type '])
  })
})

it.each<[input: unknown, path: (string | number)[], pointer: string]>([
  [{ a: { b: 1 } }, ['a', 'b'], '/a/b'],
  [{ a: {} }, ['a', 'b', 'c'], '/a'],
  [{ a: 1 }, ['a', 'b'], '/a'],
  [{}, ['a', 'b'], ''],
  [{}, [], ''],
  [undefined, ['a', 'b'], ''],
  [{ a: { ['x'.repeat(253)]: 1 } }, ['a', 'x'.repeat(253)], `/a/${'x'.repeat(253)}`],
  [{ a: { ['x'.repeat(254)]: [1] } }, ['a', 'x'.repeat(254), 0], '/a'],
  [{ a: { ['/'.repeat(127)]: 1 } }, ['a', '/'.repeat(127)], '/a'],
])(
  'the pointer to a member, or to its nearest existing ancestor of %j at %j is %s',
  (input, path, pointer) => {
    expect(pointerTo(input, path)).toBe(pointer)
  },
)

describe('an array with a bound', () => {
  const judged = vi.fn(() => true)
  const item = z.pipe(z.number().check(z.refine(judged)), z.transform(String))
  const schema = z.array(item).check(z.maxLength(3))
  const said = (input: unknown) => {
    judged.mockClear()
    const told: string[] = []
    const value = validateWith(schema, input, ({ path, message }) =>
      told.push(`${path.join('.')}: ${message}`),
    )
    return value ?? told
  }

  it('tells first that it is too long, then what is wrong up to the bound', () => {
    const long = [1, 'x', ...Array(60_000).fill('y')]
    expect(said(long)).toEqual([
      ': must have at most 3 items',
      '1: must be a number',
      '2: must be a number',
    ])
    expect(said(Array(60_000).fill(1))).toEqual([': must have at most 3 items'])
    expect(judged).toHaveBeenCalledTimes(3)
  })

  it('stays whole where it is too long', () => {
    const long = [1, 2, 3, 4]
    said(long)
    expect(long).toEqual([1, 2, 3, 4])
  })
})
