import { describe, expect, it } from 'vitest'
import { told } from '../run/readers.ts'
import { add, article, faults, judge, on } from './transactions.ts'

const person = { type: 'people', id: 'p', meta: { part: 'EDITOR' } }

describe('the target of an operation (contract, section 13)', () => {
  it.each<[what: string, operation: object, problems: string[]]>([
    ['a number for href', { op: 'remove', href: 7 }, ['VALUE_INVALID_FORMAT /0/href']],
    [
      'a removal with nothing but a resource object',
      { op: 'remove', data: { type: 'articles', id: 'a' } },
      ['VALUE_IS_ABSENT /0'],
    ],
    ['null for a type', { op: 'add', data: { type: null } }, ['VALUE_IS_ABSENT /0/data']],
    [
      'an unknown type in ref',
      { op: 'remove', ref: { type: 'dogs', id: 'a' } },
      ['NOT_FOUND /0/ref/type'],
    ],
    ['an unknown type in href', { op: 'remove', href: '/root/dogs/a' }, ['NOT_FOUND /0/href']],
    [
      'a number for a relationship',
      { op: 'add', ref: { ...on('tags'), relationship: 7 }, data: [] },
      ['VALUE_INVALID_FORMAT /0/ref/relationship'],
    ],
    [
      'an unknown relationship in href',
      { op: 'add', href: '/root/articles/a/relationships/friends', data: [] },
      ['NOT_FOUND /0/href'],
    ],
    [
      'a path with another word for relationships',
      { op: 'add', href: '/root/articles/a/relations/contributors', data: [person] },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'a path whose id cannot be decoded, which names no collection',
      { ...add(), href: '/root/articles/%zz' },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'a path whose type cannot be decoded',
      { op: 'remove', href: '/root/%zz' },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'a path whose relationship cannot be decoded',
      { op: 'add', href: '/root/articles/a/relationships/%zz', data: [] },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'a path whose id is too long',
      { op: 'remove', href: `/root/articles/${'x'.repeat(65)}` },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
  ])('cannot be named by %s', (_, operation, problems) => {
    expect(faults(operation)).toEqual(problems)
  })

  it.each([
    ['ref', { op: 'remove', ref: { type: 'articles', id: 'x'.repeat(64) } }],
    ['href', { op: 'remove', href: `/root/articles/${'x'.repeat(64)}` }],
    ['data', { op: 'update', data: { type: 'articles', id: 'x'.repeat(64) } }],
  ])('can have an id of 64 characters, here in %s', (_, operation) => {
    expect(faults(operation)).toEqual([])
  })

  it.each([
    [{ op: 'add' }, '"data" is required where an operation has neither "ref" nor "href".'],
    [
      { op: 'add', data: null },
      '"data" must not be null where an operation has neither "ref" nor "href".',
    ],
    [
      { op: 'update', data: [] },
      '"data" must be an object where an operation has neither "ref" nor "href".',
    ],
    [
      { op: 'add', data: 'a' },
      '"data" is "a", but must be an object where an operation has neither "ref" nor "href".',
    ],
    [{ op: 'remove' }, 'The operation names no target: "ref" or "href" is required here.'],
  ])('is not said to be missing where data may name it: %j', (operation, detail) => {
    const verdict = judge([operation])
    expect(verdict).toMatchObject({ ok: false, problems: [{ detail }] })
  })

  it('has a fault at the lid that names it', () => {
    const places = (operation: object) => {
      const verdict = judge([add({ ...article, lid: 'x' }), operation])
      return verdict.ok ? verdict.value[1]?.places.resource : told(verdict)
    }
    const named = { type: 'articles', lid: 'x' }
    expect(places({ op: 'remove', ref: named })).toEqual({
      pointer: '/atomic:operations/1/ref/lid',
    })
    expect(places({ op: 'update', data: named })).toEqual({
      pointer: '/atomic:operations/1/data/lid',
    })
    expect(places({ op: 'remove', href: '/root/articles/a' })).toEqual({
      pointer: '/atomic:operations/1/href',
    })
  })
})
