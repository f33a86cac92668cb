import { describe, expect, it } from 'vitest'
import { told } from '../run/readers.ts'
import { add, article, faults, judge } from './transactions.ts'

describe('the target of an operation (contract, section 13)', () => {
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
