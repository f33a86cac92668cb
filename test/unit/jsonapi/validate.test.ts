import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { pointerTo, type Schema, validateWith } from '../../../src/jsonapi/zod.ts'

it.each<[what: string, schema: Schema, input: unknown]>([
  ['an empty array for a text', z.string().check(z.minLength(1)), []],
  ['a long text for an array', z.array(z.string()).check(z.maxLength(1)), 'xx'],
])('a value of the wrong kind is not measured: %s', (_, schema, input) => {
  const said: string[] = []
  validateWith(schema, input, ({ code }) => said.push(code))
  expect(said).toEqual(['invalid_type'])
})

it.each<[path: string, pointer: string]>([
  ['x'.repeat(253), `/a/${'x'.repeat(253)}`],
  ['x'.repeat(254), '/a'],
  ['/'.repeat(127), '/a'],
])('a pointer that would have over 256 characters is that of an ancestor: %j', (name, pointer) => {
  expect(pointerTo({ a: { [name]: [1] } }, ['a', name])).toBe(pointer)
})

it('of a list that is too long no item beyond the bound is judged, and it stays as it is', () => {
  const judged = vi.fn(() => true)
  const item = z.pipe(z.number().check(z.refine(judged)), z.transform(String))
  const long = Array(60_000).fill(1)
  const said: string[] = []
  validateWith(z.array(item).check(z.maxLength(3)), long, ({ code }) => said.push(code))
  expect([said, judged.mock.calls.length, long.length]).toEqual([['too_big'], 3, 60_000])
})
