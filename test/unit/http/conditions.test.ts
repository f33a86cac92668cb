import { describe, expect, it } from 'vitest'
import { expectedRevisions, listedTags } from '../../../src/http/respond.ts'

describe('the tags that a condition lists', () => {
  it.each([
    ['*', '*'],
    [' * ', '*'],
    ['"a", W/"b" ,"c"', ['a', 'b', 'c']],
    ['""', ['']],
    ['', []],
    ['"a.b', []],
    ['w/"a"', []],
    ['*, "a"', ['a']],
    [',, "a",', ['a']],
    ['"a" "b"', []],
    [`"a"${' '.repeat(8 * 1024 - 3)}`, ['a']],
    [`"a"${' '.repeat(8 * 1024 - 2)}`, []],
  ] as const)('are parsed: %j', (header, listed) => {
    expect(listedTags(header)).toEqual(listed)
  })
})

it.each([
  [undefined, undefined],
  ['*', undefined],
  ['"r1.digest", "r2.", "r1.x.y"', ['r1', 'r2']],
  ['"digest", ".digest"', []],
  ['', []],
])('the revisions that a write expects by If-Match: %j', (header, revisions) => {
  expect(expectedRevisions(header)).toEqual(revisions)
})
