import { describe, expect, it } from 'vitest'
import {
  expectedRevisions,
  listedTags,
  names,
  revisionsOf,
  tagOf,
} from '../../../src/http/respond.ts'

describe('the tags that a condition lists (contract, section 9; RFC 9110, section 8.8.3)', () => {
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
  ] as const)('are read from %j', (header, listed) => {
    expect(listedTags(header)).toEqual(listed)
  })

  it('are none in a header of more than 8 KiB', () => {
    const header = `"a"${' '.repeat(8 * 1024 - 3)}`
    expect(listedTags(header)).toEqual(['a'])
    expect(listedTags(`${header} `)).toEqual([])
    expect(listedTags(`*${' '.repeat(8 * 1024)}`)).toEqual([])
  })
})

describe('the revisions that a write expects (contract, section 9)', () => {
  it.each([
    [undefined, undefined],
    ['*', undefined],
    ['"r1.digest", "r2."', ['r1', 'r2']],
    ['"digest"', []],
    ['', []],
  ])('are those in If-Match: of %j these are %j', (header, revisions) => {
    expect(expectedRevisions(header)).toEqual(revisions)
  })
})

describe('the revisions that tags name (contract, section 9)', () => {
  it('are what stands before the first full stop, each once', () => {
    const tags = [tagOf('r1', 'digest'), tagOf('r1', ''), tagOf('r2', 'x.y')]
    expect(revisionsOf(tags)).toEqual(['r1', 'r2'])
  })

  it('are none in the tag of an answer that is no view of one resource', () => {
    expect(revisionsOf([tagOf(undefined, 'digest'), '.digest', '.a.b', ''])).toEqual([])
  })
})

it('a tag is named by itself and by *', () => {
  expect(names('*', 'a')).toBe(true)
  expect(names(['b', 'a'], 'a')).toBe(true)
  expect(names(['b'], 'a')).toBe(false)
  expect(names([], 'a')).toBe(false)
})
