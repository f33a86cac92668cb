import { describe, expect, it } from 'vitest'
import { article, editors, people, problemsOf, related, update, withTitle } from './bodies.ts'

const format = 'VALUE_INVALID_FORMAT'
const absent = 'VALUE_IS_ABSENT'
const choice = 'INVALID_ENUM_VALUE'

describe('bodies of create and update (contract, section 6)', () => {
  it.each<[name: string, body: object]>([
    ['create', article()],
    ['create', article({ lid: 'x', meta: { any: [1] }, links: {}, relationships: {} })],
    ['create', { ...article(), jsonapi: { version: '1.1' }, links: {}, meta: {}, included: [] }],
    ['create', withTitle({ words: null, layout: null, notes: null })],
    ['create', withTitle({ title: 'x'.repeat(60), words: -1, layout: { blocks: [] } })],
    ['create', related({ author: { data: null }, tags: { data: [] } })],
    [
      'create',
      related({ author: { data: { type: 'people', id: 'p', lid: 'l', meta: {} }, meta: {} } }),
    ],
    ['create', related({ contributors: { data: editors(100) } })],
    ['create', related({ tags: { data: [{ type: 'tags', id: 'x'.repeat(64) }] } })],
    ['update', update({})],
    ['update', update({ attributes: {} })],
    ['update', update({ attributes: { title: 'T' }, relationships: { author: { data: null } } })],
  ])('%s takes %j', (operation, body) => {
    expect(problemsOf(`articles.${operation}`, body)).toEqual([])
  })

  it.each<[name: string, body: object, ...problems: string[]]>([
    ['create', {}, `${absent} `],
    ['create', { data: null }, `${absent} /data`],
    ['create', { data: [] }, `${format} /data`],
    ['create', { data: 'x' }, `${format} /data`],
    ['create', { data: {} }, ...Array(4).fill(`${absent} /data`)],
    ['create', { ...article(), x: 1 }, `${format} /x`],
    ['create', { ...article(), meta: 1 }, `${format} /meta`],
    ['create', { ...article(), included: {} }, `${format} /included`],
    ['create', { ...article(), errors: [] }, `${format} /errors`],
    ['create', article({ type: 'people' }), 'CONFLICT /data/type'],
    ['create', article({ type: 1 }), `${format} /data/type`],
    ['create', article({ type: null }), `${absent} /data/type`],
    ['create', article({ id: 'a9' }), 'CLIENT_GENERATED_ID_NOT_SUPPORTED /data/id'],
    ['create', article({ id: null }), 'CLIENT_GENERATED_ID_NOT_SUPPORTED /data/id'],
    ['create', article({ id: 1 }), 'CLIENT_GENERATED_ID_NOT_SUPPORTED /data/id'],
    ['create', article({ lid: 1 }), `${format} /data/lid`],
    ['create', article({ x: 1, 'y/z': 2 }), `${format} /data/x`, `${format} /data/y~1z`],
    ['create', article({ attributes: undefined }), ...Array(3).fill(`${absent} /data`)],
    ['create', article({ attributes: null }), ...Array(3).fill(`${absent} /data/attributes`)],
    ['create', article({ attributes: [] }), `${format} /data/attributes`],
    ['create', article({ attributes: {} }), ...Array(3).fill(`${absent} /data/attributes`)],
    ['create', withTitle({ title: null }), `${absent} /data/attributes/title`],
    ['create', withTitle({ title: 1 }), `${format} /data/attributes/title`],
    ['create', withTitle({ title: ['T'] }), `${format} /data/attributes/title`],
    ['create', withTitle({ title: '' }), `${format} /data/attributes/title`],
    ['create', withTitle({ title: 'x'.repeat(61) }), `${format} /data/attributes/title`],
    ['create', withTitle({ words: '7' }), `${format} /data/attributes/words`],
    ['create', withTitle({ words: 1.5 }), `${format} /data/attributes/words`],
    ['create', withTitle({ words: 2 ** 53 }), `${format} /data/attributes/words`],
    ['create', withTitle({ words: true }), `${format} /data/attributes/words`],
    ['create', withTitle({ x: 1 }), `${format} /data/attributes/x`],
    ['create', withTitle({ 'a~b': 1 }), `${format} /data/attributes/a~0b`],
    ['create', withTitle({ author: null }), `${format} /data/attributes/author`],
    ['create', withTitle({ notes: 'X1' }), `${format} /data/attributes/notes`],
    ['create', withTitle({ layout: [] }), `${format} /data/attributes/layout`],
    ['create', withTitle({ layout: { x: 1 } }), `${format} /data/attributes/layout/x`],
    [
      'create',
      withTitle({ layout: { columns: 'x' } }),
      `${format} /data/attributes/layout/columns`,
    ],
    [
      'create',
      withTitle({ layout: { blocks: [{}] } }),
      `${absent} /data/attributes/layout/blocks/0`,
    ],
    [
      'create',
      withTitle({ layout: { blocks: [{ kind: 'TEXT' }, { kind: 'X' }] } }),
      `${choice} /data/attributes/layout/blocks/1/kind`,
    ],
    ['create', article({ relationships: null }), `${absent} /data/relationships`],
    ['create', article({ relationships: [] }), `${format} /data/relationships`],
    ['create', related({ x: {} }), `${format} /data/relationships/x`],
    ['create', related({ author: {} }), `${absent} /data/relationships/author`],
    ['create', related({ author: null }), `${absent} /data/relationships/author`],
    ['create', related({ author: { data: [] } }), `${format} /data/relationships/author/data`],
    ['create', related({ author: { data: 'p1' } }), `${format} /data/relationships/author/data`],
    [
      'create',
      related({ author: { data: {} } }),
      ...Array(2).fill(`${absent} /data/relationships/author/data`),
    ],
    [
      'create',
      related({ author: { data: { type: 'tags', id: 'x' } } }),
      `${choice} /data/relationships/author/data/type`,
    ],
    [
      'create',
      related({ author: { data: { type: 'people', lid: 'x' } } }),
      `${absent} /data/relationships/author/data`,
    ],
    [
      'create',
      related({ author: { data: people('')[0] } }),
      `${format} /data/relationships/author/data/id`,
    ],
    [
      'create',
      related({ author: { data: people(1)[0] } }),
      `${format} /data/relationships/author/data/id`,
    ],
    [
      'create',
      related({ author: { data: people('x'.repeat(65))[0] } }),
      `${format} /data/relationships/author/data/id`,
    ],
    ['create', related({ tags: { data: null } }), `${absent} /data/relationships/tags/data`],
    [
      'create',
      related({ tags: { data: { type: 'tags', id: 't' } } }),
      `${format} /data/relationships/tags/data`,
    ],
    ['create', related({ tags: { data: [null] } }), `${absent} /data/relationships/tags/data/0`],
    [
      'create',
      related({ contributors: { data: people('p1') } }),
      `${absent} /data/relationships/contributors/data/0`,
    ],
    [
      'create',
      related({ contributors: { data: [{ ...people('p1')[0], meta: {} }] } }),
      `${absent} /data/relationships/contributors/data/0/meta`,
    ],
    [
      'create',
      related({ contributors: { data: [{ ...people('p1')[0], meta: { part: 'X' } }] } }),
      `${choice} /data/relationships/contributors/data/0/meta/part`,
    ],
    [
      'create',
      related({ contributors: { data: editors(101) } }),
      `${format} /data/relationships/contributors/data`,
    ],
    [
      'create',
      related({
        contributors: { data: editors(101) },
        tags: { data: [{ type: 'tags', id: 't' }] },
      }),
      `${format} /data/relationships/contributors/data`,
      `${format} /data/relationships`,
    ],
    [
      'create',
      related({ tags: { data: Array(102).fill(null) } }),
      `${format} /data/relationships/tags/data`,
      ...Array.from(
        { length: 49 },
        (_, index) => `${absent} /data/relationships/tags/data/${index}`,
      ),
    ],
    [
      'create',
      related({
        contributors: { data: editors(60) },
        tags: { data: Array.from({ length: 41 }, (_, i) => ({ type: 'tags', id: `t${i}` })) },
      }),
      `${format} /data/relationships`,
    ],
    [
      'create',
      related({
        contributors: { data: [...editors(1), { ...people('p0')[0], meta: { part: 'REVIEWER' } }] },
      }),
      `${format} /data/relationships/contributors/data/1`,
    ],
    ['update', { data: { type: 'articles' } }, `${absent} /data`],
    ['update', update({ attributes: null }), `${absent} /data/attributes`],
    ['update', { data: { type: 'articles', id: 1 } }, `${format} /data/id`],
    ['update', { data: { type: 'articles', id: 'a2' } }, 'CONFLICT /data/id'],
    ['update', { data: { type: 'people', id: 'a2' } }, 'CONFLICT /data/type', 'CONFLICT /data/id'],
    ['update', update({ attributes: { title: null } }), `${absent} /data/attributes/title`],
    [
      'update',
      update({ attributes: { x: 1 }, relationships: { y: {} } }),
      `${format} /data/attributes/x`,
      `${format} /data/relationships/y`,
    ],
  ])('%s refuses %j', (operation, body, ...problems) => {
    expect(problemsOf(`articles.${operation}`, body)).toEqual(problems)
  })

  it('tells everything that is wrong at once', () => {
    const body = {
      data: {
        type: 'people',
        id: 'mine',
        x: 1,
        attributes: { title: 1, notes: 'X', y: 2 },
        relationships: { author: { data: { type: 'tags' } }, tags: {} },
      },
      z: 3,
    }
    expect(problemsOf('articles.create', body).toSorted()).toEqual([
      'CLIENT_GENERATED_ID_NOT_SUPPORTED /data/id',
      'CONFLICT /data/type',
      `${choice} /data/relationships/author/data/type`,
      `${format} /data/attributes/notes`,
      `${format} /data/attributes/title`,
      `${format} /data/attributes/y`,
      `${format} /data/x`,
      `${format} /z`,
      `${absent} /data/attributes`,
      `${absent} /data/attributes`,
      `${absent} /data/relationships/author/data`,
      `${absent} /data/relationships/tags`,
    ])
  })
})
