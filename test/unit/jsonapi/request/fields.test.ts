import { describe, expect, it } from 'vitest'
import { fieldTree, type PathTree } from '../../../../src/jsonapi/request/query.ts'
import { fieldNames } from '../../../../src/jsonapi/request/query-parameters.ts'
import { articles } from '../../db/second-domain/articles.ts'

describe('the names that fields take', () => {
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
  /** A tree as an object, for the eye. */
  const plain = (tree: PathTree): unknown =>
    Object.fromEntries([...tree].map(([name, of]) => [name, of.size === 0 ? 'all' : plain(of)]))

  it.each<[names: string[], tree: object]>([
    [[], {}],
    [['a', 'a', 'b'], { a: 'all', b: 'all' }],
    [['a.b.c', 'a.b.d', 'a.e'], { a: { b: { c: 'all', d: 'all' }, e: 'all' } }],
    [['a', 'a.b'], { a: 'all' }],
    [['a.b', 'a'], { a: 'all' }],
    [['a.b.c', 'a.b'], { a: { b: 'all' } }],
    [['__proto__', 'constructor'], JSON.parse('{ "__proto__": "all", "constructor": "all" }')],
  ])('of %j is %j: a whole field wins over its members', (names, tree) => {
    expect(plain(fieldTree(names))).toEqual(tree)
  })
})
