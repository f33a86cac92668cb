import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import {
  check,
  demand,
  listed,
  pointerTo,
  quote,
  type Schema,
  upTo,
  valueAt,
} from '../../../src/jsonapi/validate.ts'

describe('what a schema asks for, in words (contract, section 5: a detail says what is allowed)', () => {
  it.each<[words: string, schema: Schema, input: unknown]>([
    ['at most 3 characters', z.string().max(3), 'four'],
    ['at least 1 characters', z.string().min(1), ''],
    ['at most 1 items', z.array(z.unknown()).max(1), [1, 2]],
    ['at least 1 items', z.array(z.unknown()).min(1), []],
    ['at most 2', z.number().max(2), 3],
    ['at least 2', z.number().min(2), 1],
    ['must be of type boolean', z.boolean(), 'x'],
    ['must have the format email', z.email(), 'x'],
    ['is no address', z.email('is no address'), 'x'],
    ['is not an x', z.string().regex(/x/, 'is not an x'), 'y'],
    ['is never right', z.string().refine(() => false, 'is never right'), 'y'],
  ])('%s', (words, schema, input) => {
    const said: string[] = []
    const verdict = check(schema, input, (issue) => {
      said.push(demand(issue))
    })
    expect(verdict.ok).toBe(false)
    expect(said).toEqual([words])
  })
})

describe('a value as an error repeats it', () => {
  it.each<[value: unknown, text: string]>([
    ['x', '"x"'],
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

describe('the pointer to a member, or to its nearest existing ancestor (contract, section 5)', () => {
  it.each<[input: unknown, path: (string | number)[], pointer: string]>([
    [{ a: { b: 1 } }, ['a', 'b'], '/a/b'],
    [{ a: [{ b: null }] }, ['a', 0, 'b'], '/a/0/b'],
    [{ 'a/b': 1 }, ['a/b'], '/a~1b'],
    [{ a: {} }, ['a', 'b', 'c'], '/a'],
    [{ a: 1 }, ['a', 'b'], '/a'],
    [{}, ['a', 'b'], ''],
    [{}, [], ''],
    [undefined, ['a', 'b'], ''],
    [{ a: { ['x'.repeat(253)]: 1 } }, ['a', 'x'.repeat(253)], `/a/${'x'.repeat(253)}`],
    [{ a: { ['x'.repeat(254)]: [1] } }, ['a', 'x'.repeat(254), 0], '/a'],
    [{ a: { ['/'.repeat(127)]: 1 } }, ['a', '/'.repeat(127)], '/a'],
  ])('of %j at %j is %s', (input, path, pointer) => {
    expect(pointerTo(input, path)).toBe(pointer)
  })
})

describe('an array with a bound (contract, section 2: a list that is too long)', () => {
  const judged = vi.fn(() => true)
  const schema = upTo(3, z.number().refine(judged).transform(String))
  const said = (input: unknown) => {
    judged.mockClear()
    const told: string[] = []
    const verdict = check(schema, input, (issue) => {
      told.push(`${issue.path.join('.')}: ${demand(issue)}`)
    })
    return verdict.ok ? verdict.value : told
  }

  it('is read as any array up to it', () => {
    expect(said([1, 2, 3])).toEqual(['1', '2', '3'])
    expect(said([1, 'x', 3])).toEqual(['1: must be of type number'])
    expect(said('x')).toEqual([': must be of type array'])
  })

  it('tells first that it is too long, then what is wrong up to the bound', () => {
    const long = [1, 'x', ...Array(60_000).fill('y')]
    expect(said(long)).toEqual([
      ': at most 3 items',
      '1: must be of type number',
      '2: must be of type number',
    ])
    expect(said(Array(60_000).fill(1))).toEqual([': at most 3 items'])
    expect(judged).toHaveBeenCalledTimes(3)
    expect(long).toHaveLength(60_002)
  })

  it('keeps its bound when a description or a refinement is added', () => {
    const copy = upTo(3, z.number())
      .refine(() => true)
      .meta({ description: 'Numbers.' })
    const told: string[] = []
    check(copy, ['x', 1, 2, 'y'], (issue) => told.push(`${issue.path.join('.')}: ${demand(issue)}`))
    expect(told).toEqual([': at most 3 items', '0: must be of type number'])
  })

  it('is described with its bound', () => {
    expect(z.toJSONSchema(upTo(3, z.string()))).toMatchObject({
      type: 'array',
      maxItems: 3,
      items: { type: 'string' },
    })
  })
})

describe('the value at a path', () => {
  it.each<[input: unknown, path: string[], value: unknown]>([
    [{ a: { b: 1 } }, ['a', 'b'], 1],
    [{ a: null }, ['a', 'b'], undefined],
    [{ a: 'text' }, ['a', 'length'], undefined],
    [{}, ['constructor', 'name'], undefined],
    ['x', [], 'x'],
  ])('of %j at %j is %j', (input, path, value) => {
    expect(valueAt(input, path)).toBe(value)
  })
})
