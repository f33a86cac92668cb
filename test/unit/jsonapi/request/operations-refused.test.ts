import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/jsonapi/declare/access.ts'
import { told } from '../run/readers.ts'
import { add, ann, article, editor, faults, judge, on, person, read } from './transactions.ts'

describe('a transaction that is not valid (contract, section 13)', () => {
  it.each([
    ['no operations', {}, ['VALUE_IS_ABSENT ']],
    [
      'an empty list of them',
      { 'atomic:operations': [] },
      ['VALUE_INVALID_FORMAT /atomic:operations'],
    ],
    ['what is no list', { 'atomic:operations': {} }, ['VALUE_INVALID_FORMAT /atomic:operations']],
    [
      'data beside them',
      { 'atomic:operations': [add()], data: null },
      ['VALUE_INVALID_FORMAT /data'],
    ],
    [
      'more than twenty, and a fault in the first of them',
      { 'atomic:operations': [{ op: 'x' }, ...Array(20).fill(add())] },
      ['INVALID_ENUM_VALUE /atomic:operations/0/op', 'VALUE_INVALID_FORMAT /atomic:operations'],
    ],
  ])('has %s', (_, body, expected) => {
    const problems = told(read(body, ann)).filter((text) => !text.startsWith('VALUE_IS_ABSENT /'))
    expect(problems.toSorted()).toEqual(expected)
  })

  it.each<[string, unknown, string[]]>([
    ['is no object', 7, ['VALUE_INVALID_FORMAT /0']],
    ['is null', null, ['VALUE_IS_ABSENT /0']],
    ['is a list', [], ['VALUE_INVALID_FORMAT /0']],
    ['has a list for a ref', { op: 'remove', ref: [] }, ['VALUE_INVALID_FORMAT /0/ref']],
    ['has null for a ref', { op: 'remove', ref: null }, ['VALUE_IS_ABSENT /0/ref']],
    ['has no op', { data: article }, ['VALUE_IS_ABSENT /0']],
    ['has an op that is none', { op: 'get', data: article }, ['INVALID_ENUM_VALUE /0/op']],
    ['has an unknown member', { ...add(), params: {} }, ['VALUE_INVALID_FORMAT /0/params']],
    ['names nothing', { op: 'remove' }, ['VALUE_IS_ABSENT /0']],
    ['names nothing but linkage', { op: 'add', data: [] }, ['VALUE_INVALID_FORMAT /0/data']],
    ['adds nothing', { op: 'add' }, ['VALUE_IS_ABSENT /0']],
    ['adds null', { op: 'add', data: null }, ['VALUE_IS_ABSENT /0/data']],
    ['updates nothing', { op: 'update' }, ['VALUE_IS_ABSENT /0']],
    [
      'has ref and href',
      { op: 'remove', ref: { type: 'articles', id: 'a' }, href: '/root/articles/a' },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'has an id and a lid in ref',
      { op: 'remove', ref: { type: 'articles', id: 'a', lid: 'a' } },
      ['VALUE_INVALID_FORMAT /0/ref/lid'],
    ],
    ['has neither in ref', { op: 'remove', ref: { type: 'articles' } }, ['VALUE_IS_ABSENT /0/ref']],
    ['has no type in ref', { op: 'remove', ref: { id: 'a' } }, ['VALUE_IS_ABSENT /0/ref']],
    ['has no type in data', { op: 'add', data: {} }, ['VALUE_IS_ABSENT /0/data']],
    [
      'has a number for a type',
      { op: 'add', data: { type: 7 } },
      ['VALUE_INVALID_FORMAT /0/data/type'],
    ],
    ['names an unknown type', add({ type: 'dogs' }), ['NOT_FOUND /0/data/type']],
    [
      'names an unknown relationship',
      { op: 'add', ref: on('friends'), data: [] },
      ['NOT_FOUND /0/ref/relationship'],
    ],
    ['is a write that is not implemented', add({ type: 'tags' }), ['NOT_FOUND /0/data/type']],
    [
      'adds to a to-one relationship',
      { op: 'add', ref: on('author'), data: null },
      ['INVALID_ENUM_VALUE /0/op'],
    ],
    [
      'adds a resource by ref',
      { ...add(), ref: { type: 'articles', id: 'a' } },
      ['VALUE_INVALID_FORMAT /0/ref'],
    ],
    [
      'adds a resource at its own path',
      { ...add(), href: '/root/articles/a' },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'adds a resource of another type than its collection',
      { ...add({ ...article, type: 'people' }), href: '/root/articles' },
      ['CONFLICT /0/data/type'],
    ],
    [
      'adds a resource with an id',
      add({ ...article, id: 'x' }),
      ['CLIENT_GENERATED_ID_NOT_SUPPORTED /0/data/id'],
    ],
    [
      'removes a collection',
      { op: 'remove', href: '/root/articles' },
      ['VALUE_INVALID_FORMAT /0/href'],
    ],
    [
      'updates without an id',
      { op: 'update', data: { type: 'articles' } },
      ['VALUE_IS_ABSENT /0/data'],
    ],
    [
      'updates another resource than it names',
      { op: 'update', ref: { type: 'articles', id: 'a' }, data: { type: 'articles', id: 'b' } },
      ['CONFLICT /0/data/id'],
    ],
    ...['', 'x'.repeat(65), 'a\0'].map((id): [string, unknown, string[]] => [
      `has the id ${JSON.stringify(id)} in ref`,
      { op: 'remove', ref: { type: 'articles', id } },
      ['VALUE_INVALID_FORMAT /0/ref/id'],
    ]),
    [
      'updates by an id that is no text',
      { op: 'update', ref: { type: 'articles', id: 7 } },
      ['VALUE_INVALID_FORMAT /0/ref/id', 'VALUE_IS_ABSENT /0'],
    ],
    [
      'names an id and has a lid that nothing has',
      {
        op: 'update',
        ref: { type: 'articles', id: 'a' },
        data: { type: 'articles', lid: 'x' },
      },
      ['VALUE_INVALID_FORMAT /0/data/lid'],
    ],
    ['has no data', { op: 'update', ref: on('tags') }, ['VALUE_IS_ABSENT /0']],
    [
      'has an id that no path could hold',
      { op: 'update', data: { type: 'articles', id: 'x'.repeat(65) } },
      ['VALUE_INVALID_FORMAT /0/data/id'],
    ],
    [
      'has a lid that nothing has',
      { op: 'remove', ref: { type: 'articles', lid: 'x' } },
      ['VALUE_INVALID_FORMAT /0/ref/lid'],
    ],
    [
      'updates by a lid that nothing has',
      { op: 'update', data: { type: 'articles', lid: 'x' } },
      ['VALUE_INVALID_FORMAT /0/data/lid'],
    ],
    [
      'links to lids that nothing has',
      add({
        ...article,
        relationships: {
          author: { data: { type: 'people', lid: 'x' } },
          contributors: { data: [editor({ id: 'p' }), editor({ lid: 'y' })] },
        },
      }),
      [
        'VALUE_INVALID_FORMAT /0/data/relationships/author/data/lid',
        'VALUE_INVALID_FORMAT /0/data/relationships/contributors/data/1/lid',
      ],
    ],
    ...[
      'articles/a',
      '/articles/a',
      '/root',
      '/root/',
      '/root/articles/',
      '/root/articles?x',
      '/root/articles/a#x',
      '/root/articles/%zz',
      '/root/articles/a/contributors',
      '/root/articles/a/relationships',
      '/root/articles/a/relationships/tags/t',
      'https://example.com/root/articles/a',
    ].map((href): [string, unknown, string[]] => [
      `has ${href} for href`,
      { op: 'remove', href },
      ['VALUE_INVALID_FORMAT /0/href'],
    ]),
  ])('has an operation that %s', (_, operation, expected) => {
    expect(faults(operation).toSorted()).toEqual(expected.toSorted())
  })

  it('uses a lid before it is made, of another type, or makes one twice', () => {
    const remove = (type: string) => ({ op: 'remove', ref: { type, lid: 'x' } })
    const named = { ...article, lid: 'x' }
    expect(faults(remove('articles'), add(named), remove('people'), add(named))).toEqual([
      'VALUE_INVALID_FORMAT /0/ref/lid',
      'VALUE_INVALID_FORMAT /2/ref/lid',
      'CONFLICT /3/data/lid',
    ])
  })

  it('uses the lid of what is added in its own linkage: no earlier operation has added it', () => {
    const follows = { data: [{ type: 'people', lid: 'x' }] }
    expect(faults(add({ ...person, lid: 'x', relationships: { follows } }))).toEqual([
      'VALUE_INVALID_FORMAT /0/data/relationships/follows/data/0/lid',
    ])
  })

  it('updates another resource by its lid than it names', () => {
    const update = (data: object) => ({ op: 'update', ref: { type: 'articles', id: 'a' }, data })
    const both = { type: 'articles', id: 'b', lid: 'x' }
    expect(
      faults(add({ ...article, lid: 'x' }), update({ type: 'articles', lid: 'x' }), update(both)),
    ).toEqual(['CONFLICT /1/data/lid', 'CONFLICT /2/data/id'])
  })

  it('is told all that is wrong with all of its operations', () => {
    expect(
      faults(
        add({ ...article, attributes: { title: 7, handle: 'h', section: 's' } }),
        {
          op: 'add',
          ref: on('contributors'),
          data: [editor({ id: 'p' }), { type: 'people', id: 'p' }],
        },
        { op: 'remove', href: 'x' },
      ),
    ).toEqual([
      'VALUE_INVALID_FORMAT /0/data/attributes/title',
      'VALUE_IS_ABSENT /1/data/1',
      'VALUE_INVALID_FORMAT /1/data/1',
      'VALUE_INVALID_FORMAT /2/href',
    ])
  })

  it('has more than a hundred identifiers in all operations together (contract, section 13)', () => {
    const many = (count: number) => ({
      op: 'add',
      ref: on('contributors'),
      data: Array.from({ length: count }, (_, n) => editor({ id: `p${n}` })),
    })
    expect(faults(many(60), many(40))).toEqual([])
    for (const [one, other] of [
      [60, 41],
      [100, 1],
    ] as const) {
      expect(told(judge([many(one), many(other)]))).toEqual([
        'VALUE_INVALID_FORMAT /atomic:operations',
      ])
    }
    expect(faults(many(101), many(1))).toEqual(['VALUE_INVALID_FORMAT /0/data'])
  })

  it('has an operation that the scopes of the token do not permit, beside what else is wrong', () => {
    const writer: Principal = { ...ann, scopes: new Set(['articles.write']) }
    expect(told(judge([add(), add(person), { op: 'x' }], writer))).toEqual([
      'INVALID_ENUM_VALUE /atomic:operations/2/op',
      'INSUFFICIENT_ENTITLEMENTS /atomic:operations/1',
      'VALUE_IS_ABSENT /atomic:operations/2',
    ])
  })
})
