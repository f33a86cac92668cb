import { describe, expect, it } from 'vitest'
import { fieldNames, fieldTree } from '../../../../src/jsonapi/request/fields.ts'
import { articles } from '../../db/second-domain/articles.ts'

describe('the names that fields take (contract, section 6)', () => {
  it('are attributes and relationships, and with dots the members of objects and of the objects in arrays', () => {
    expect(fieldNames(articles)).toEqual([
      'title',
      'handle',
      'section',
      'words',
      'layout',
      'layout.columns',
      'layout.budget',
      'layout.blocks',
      'layout.blocks.kind',
      'layout.blocks.body',
      'notes',
      'author',
      'contributors',
      'tags',
    ])
  })
})

describe('a tree of fields', () => {
  it.each([
    [[], new Map()],
    [['a'], new Map([['a', 'all']])],
    [['a.b'], new Map([['a', new Map([['b', 'all']])]])],
    [
      ['a.b', 'a.c'],
      new Map([
        [
          'a',
          new Map([
            ['b', 'all'],
            ['c', 'all'],
          ]),
        ],
      ]),
    ],
    [
      ['a.b.c', 'a.b.d'],
      new Map([
        [
          'a',
          new Map([
            [
              'b',
              new Map([
                ['c', 'all'],
                ['d', 'all'],
              ]),
            ],
          ]),
        ],
      ]),
    ],
    [['a', 'a.b'], new Map([['a', 'all']])],
    [['a.b', 'a'], new Map([['a', 'all']])],
    [['a.b.c', 'a.b'], new Map([['a', new Map([['b', 'all']])]])],
    [
      ['a', 'a', 'b'],
      new Map([
        ['a', 'all'],
        ['b', 'all'],
      ]),
    ],
    [
      ['__proto__', 'constructor'],
      new Map([
        ['__proto__', 'all'],
        ['constructor', 'all'],
      ]),
    ],
  ])('of %j: a whole field wins over its members', (names, tree) => {
    expect(fieldTree(names)).toEqual(tree)
  })
})
