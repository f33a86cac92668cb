import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askedOf } from '../../../../lab/scaling/asked.ts'
import { type Asked, type From, nothing, readOf } from '../../../../src/jsonapi/run/plan.ts'
import { page } from './memory-store.ts'

const names = (...all: string[]) => fc.subarray(all)
const id = fc.constantFrom('1', '2')
const show = fc.record({
  attributes: names('title', 'words'),
  ownAttributes: names('notes'),
  relationships: names('author', 'tags'),
})
const order = {
  filter: fc.dictionary(fc.constantFrom('id', 'section'), fc.array(id)).map((all) => ({ ...all })),
  sort: fc.uniqueArray(
    fc.record({ field: fc.constantFrom('title', 'section'), descending: fc.boolean() }),
    { selector: ({ field }) => field },
  ),
  after: fc.option(fc.array(id, { minLength: 1 }), { nil: undefined }),
}
const from: fc.Arbitrary<From> = fc.oneof(
  fc.record({
    of: fc.option(
      fc.record({ type: fc.constantFrom('articles', 'people'), id, relationship: id }),
      { nil: undefined },
    ),
    kind: fc.constant('page' as const),
    ...order,
    offset: fc.constantFrom(0, 5),
    limit: fc.constantFrom(undefined, 20),
    total: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('ids' as const), ids: fc.array(id) }),
  fc.record({
    kind: fc.constant('linkage' as const),
    id,
    relationship: fc.constantFrom('tags', 'contributors'),
    ...order,
    limit: fc.constantFrom(undefined, 20),
  }),
)
const asked: fc.Arbitrary<Required<Asked>> = fc.record({
  type: fc.constantFrom('articles', 'people'),
  from,
  show,
  alongside: fc.array(
    fc.record({ relationship: id, target: fc.constantFrom('people', 'tags'), show }),
  ),
  members: fc.constantFrom(20, 'all' as const),
  viewer: fc.option(id),
})

describe('a read is a plan and its values', () => {
  it('which together hold all that was asked for', () => {
    fc.assert(
      fc.property(asked, (all) => {
        expect(askedOf(readOf(all))).toEqual(all)
      }),
    )
  })

  it('and two reads of the same form share one plan, which says in words what it is', () => {
    fc.assert(
      fc.property(asked, asked, (one, other) => {
        const [a, b] = [readOf(one).plan, readOf(other).plan]
        const isSame = JSON.stringify(a) === JSON.stringify(b)
        expect(a === b).toBe(isSame)
        expect(String(a) === String(b)).toBe(isSame)
        expect(readOf(one).plan).toBe(a)
      }),
      { numRuns: 500 },
    )
  })

  it('whose values change nothing of the plan', () => {
    const read = (change: object) =>
      readOf({ type: 'articles', from: { ...page, ...change }, show: nothing, viewer: 'ann' }).plan
    expect(read({ filter: { id: ['a'] }, after: ['x'], limit: 3 })).toBe(
      read({ filter: { id: ['b', 'c'] }, after: ['y'], limit: 4 }),
    )
    expect(read({ offset: 5 })).toBe(read({ offset: 6 }))
    expect(read({ offset: 5 })).not.toBe(read({ offset: 0 }))
  })

  it.each<[string, Partial<Asked> & { from: From }]>([
    ['articles: one by id', { from: { kind: 'ids', ids: ['secret'] } }],
    ['articles: several by id', { from: { kind: 'ids', ids: ['secret', 'other'] } }],
    [
      'articles: members of tags after one; alongside tags: tags, shows label',
      {
        from: {
          kind: 'linkage',
          id: 'secret',
          relationship: 'tags',
          filter: {},
          sort: [],
          after: ['a'],
          limit: 20,
        },
        alongside: [
          { relationship: 'tags', target: 'tags', show: { ...nothing, attributes: ['label'] } },
        ],
      },
    ],
    [
      'articles: members of tags where kind by -label after one',
      {
        from: {
          kind: 'linkage',
          id: 'secret',
          relationship: 'tags',
          filter: { kind: ['secret'] },
          sort: [{ field: 'label', descending: true }],
          after: ['secret', 'a'],
          limit: 20,
        },
      },
    ],
    [
      'articles: page of people.follows where id',
      {
        from: {
          ...page,
          of: { type: 'people', id: 'secret', relationship: 'follows' },
          filter: { id: ['secret'] },
        },
      },
    ],
    [
      'articles: page where id and section by -title,section after one past an offset with total; shows title,words; of own ones notes; linkage of author; with all members',
      {
        from: {
          ...page,
          filter: { id: ['secret'], section: ['secret'] },
          sort: [
            { field: 'title', descending: true },
            { field: 'section', descending: false },
          ],
          after: ['secret'],
          offset: 7,
          total: true,
        },
        show: {
          attributes: ['title', 'words'],
          ownAttributes: ['notes'],
          relationships: ['author'],
        },
        members: 'all',
      },
    ],
  ])('prints as: %s', (text, all) => {
    expect(String(readOf({ type: 'articles', show: nothing, viewer: 'ann', ...all }).plan)).toBe(
      text,
    )
  })
})
