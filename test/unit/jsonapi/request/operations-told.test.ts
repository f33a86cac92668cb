import { describe, expect, it } from 'vitest'
import { pointerInto } from '../../../../src/jsonapi/request/operations.ts'
import { add, article, judge, on } from './transactions.ts'

describe('the pointer to a fault of an id in an operation (contract, section 13)', () => {
  it.each<[what: string, sent: object, below: string, pointer: string]>([
    ['an id', { data: { id: 'a' } }, '/data/id', '/data/id'],
    ['the lid that stands in its place', { data: { lid: 'x' } }, '/data/id', '/data/lid'],
    ['the id where both stand', { data: { id: 'a', lid: 'x' } }, '/data/id', '/data/id'],
    ['the place of the id where neither stands', { data: {} }, '/data/id', '/data/id'],
    ['a lid in a list', { data: [{ id: 'a' }, { lid: 'x' }] }, '/data/1/id', '/data/1/lid'],
    [
      'a lid in a relationship that is named id',
      { data: { relationships: { id: { data: { lid: 'x' } } } } },
      '/data/relationships/id/data/id',
      '/data/relationships/id/data/lid',
    ],
    ['another member of what has a lid', { data: { lid: 'x' } }, '/data/type', '/data/type'],
    ['the operation itself', { data: { lid: 'x' } }, '', ''],
  ])('leads to %s', (_, sent, below, pointer) => {
    expect(pointerInto(sent, '/above/0')(below)).toBe(`/above/0${pointer}`)
  })
})

describe('the detail of a fault of an operation names the verb and what is allowed (contract, section 5)', () => {
  it.each([
    [add({ type: 'tags' }), '"add" is not implemented for tags.'],
    [{ op: 'add', ref: on('tags'), data: [] }, '"add" is not implemented for articles.tags.'],
    [{ op: 'add', ref: on('author'), data: null }, '"add" is not one of: update.'],
    [
      { op: 'remove', ref: { type: 'articles', lid: 'x' } },
      'No earlier operation has added a resource of type "articles" with the lid "x".',
    ],
  ])('%j', (operation, detail) => {
    const verdict = judge([operation])
    expect(verdict.ok ? [] : verdict.problems.map((problem) => problem.detail)).toEqual([detail])
  })

  it('and of a lid that is made twice, the type and the lid', () => {
    const named = add({ ...article, lid: 'x' })
    const verdict = judge([named, named])
    expect(verdict.ok ? [] : verdict.problems.map((problem) => problem.detail)).toEqual([
      'An earlier operation has added a resource of type articles with the lid "x".',
    ])
  })
})
