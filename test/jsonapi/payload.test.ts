import { describe, expect, it } from 'vitest'
import { bodyReader } from '../../src/jsonapi/payload.ts'
import { article, editors, judge, people, problemsOf, update, withTitle } from './bodies.ts'
import { endpointOf } from './readers.ts'

const format = 'VALUE_INVALID_FORMAT'
const absent = 'VALUE_IS_ABSENT'
const choice = 'INVALID_ENUM_VALUE'

describe('bodies of linkage (specification, rule 2 of the generic operations)', () => {
  it.each<[name: string, body: object]>([
    ['author.replaceOne', { data: null }],
    ['author.replaceOne', { data: people('p1')[0], meta: {}, links: {}, jsonapi: {} }],
    ['contributors.replaceMany', { data: [] }],
    ['contributors.replaceMany', { data: editors(100) }],
    ['contributors.addMany', { data: [...editors(2), ...editors(2)] }],
    ['contributors.addMany', { data: [{ ...people('p1')[0], meta: { part: 'EDITOR', more: 1 } }] }],
    ['contributors.removeMany', { data: people('p1', 'p2') }],
    ['contributors.removeMany', { data: editors(1) }],
  ])('%s takes %j', (operation, body) => {
    expect(problemsOf(`articles.${operation}`, body)).toEqual([])
  })

  it.each<[name: string, body: object, ...problems: string[]]>([
    ['author.replaceOne', {}, `${absent} `],
    ['author.replaceOne', { data: [] }, `${format} /data`],
    ['author.replaceOne', { data: { type: 'tags', id: 't' } }, `${choice} /data/type`],
    ['author.replaceOne', { data: { type: 'people' } }, `${absent} /data`],
    ['author.replaceOne', { data: null, x: 1 }, `${format} /x`],
    [
      'author.replaceOne',
      { data: { ...people('p1')[0], attributes: {} } },
      `${format} /data/attributes`,
    ],
    ['contributors.replaceMany', {}, `${absent} `],
    ['contributors.replaceMany', { data: null }, `${absent} /data`],
    ['contributors.replaceMany', { data: editors(1)[0] }, `${format} /data`],
    ['contributors.addMany', { data: people('p1') }, `${absent} /data/0`],
    ['contributors.addMany', { data: editors(101) }, `${format} /data`],
    ['contributors.addMany', { data: ['p1', 1] }, `${format} /data/0`, `${format} /data/1`],
    ['contributors.removeMany', { data: people('') }, `${format} /data/0/id`],
    ['contributors.removeMany', { data: [{ type: 'tags', id: 't' }] }, `${choice} /data/0/type`],
  ])('%s refuses %j', (operation, body, ...problems) => {
    expect(problemsOf(`articles.${operation}`, body)).toEqual(problems)
  })

  it('refuse a resource as its own member where the relationship is declared so', () => {
    const { definition, operation } = endpointOf('people.follows.addMany')
    const { follows } = definition.relationships
    const strict = { ...definition, relationships: { follows: { ...follows, reflexive: false } } }
    const read = bodyReader(strict as typeof definition, operation, 'follows')
    const verdict = read({ data: people('p2', 'p1') }, 'p1')
    expect(verdict).toMatchObject({
      ok: false,
      problems: [{ code: format, source: { pointer: '/data/1/id' } }],
    })
    expect(bodyReader(definition, operation, 'follows')({ data: people('p1') }, 'p1').ok).toBe(true)
  })
})

describe('what a body says', () => {
  it('holds what was sent and nothing else; normalised where the schema does that', () => {
    const body = update({
      attributes: { title: 'T', words: null },
      relationships: {
        author: { data: people('p1')[0] },
        contributors: { data: editors(1) },
        tags: { data: [] },
      },
    })
    expect(judge('articles.update', body)).toEqual({
      ok: true,
      value: {
        attributes: { title: 'T', words: null },
        relationships: {
          author: [expect.objectContaining({ id: 'p1' })],
          contributors: [expect.objectContaining({ id: 'p0', meta: { part: 'EDITOR' } })],
          tags: [],
        },
      },
    })
    expect(judge('articles.author.replaceOne', { data: null })).toEqual({
      ok: true,
      value: { attributes: {}, relationships: { author: [] } },
    })
  })
})

describe('a detail', () => {
  const detail = (body: object) => {
    const verdict = judge('articles.create', body)
    return verdict.ok ? undefined : verdict.problems[0]?.detail
  }

  it.each<[object, ...string[]]>([
    [
      article({ x: 1 }),
      '"x" is not taken here',
      'type, id, lid, attributes, relationships, links, meta',
    ],
    [withTitle({ title: '' }), 'at least 1'],
    [withTitle({ title: 'x'.repeat(61) }), 'at most 60'],
    [withTitle({ words: 'seven' }), '"seven"'],
    [withTitle({ layout: { blocks: [{ kind: 'X' }] } }), '"X" is not one of: TEXT, IMAGE'],
    [article({ type: 'people' }), 'articles'],
    [{}, '"data" is required'],
    [withTitle({ title: null }), '"title" must not be null'],
  ])('of %j names the value and what is allowed (contract, section 5)', (body, ...parts) => {
    for (const part of parts) {
      expect(detail(body)).toContain(part)
    }
  })

  it('never repeats a sensitive value', () => {
    expect(detail(withTitle({ notes: 'Secret 1' }))).not.toContain('Secret')
    expect(detail(withTitle({ notes: ['Secret 1'] }))).not.toContain('Secret')
  })

  it('stays short, whatever is sent', () => {
    expect(detail(withTitle({ title: 'x'.repeat(10_000) }))?.length).toBeLessThan(200)
    expect(detail(article({ ['x'.repeat(10_000)]: 1 }))?.length).toBeLessThan(300)
  })
})
