import { describe, expect, it } from 'vitest'
import { listed, quote, sentence } from '../../../src/jsonapi/errors.ts'

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
