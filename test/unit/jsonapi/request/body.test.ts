import { describe, expect, it, vi } from 'vitest'
import { bodyReader, bodySchema, identifiersIn } from '../../../../src/jsonapi/request/body.ts'
import { schemaObject } from '../../../../src/openapi/schema.ts'
import { endpointOf, told } from '../run/readers.ts'
import {
  article,
  editors,
  judge,
  people,
  problemsOf,
  related,
  update,
  withTitle,
} from './bodies.ts'

const format = 'VALUE_INVALID_FORMAT'

const [person] = people('p1')
/** Somebody who contributes, once more and as something else. */
const reviewer = { ...people('p0')[0], meta: { part: 'REVIEWER' } }

describe('bodies of linkage (contract, section 6)', () => {
  it.each<[name: string, data: unknown, ...problems: string[]]>([
    ['author.replaceOne', null],
    ['author.replaceOne', { ...person, meta: {} }],
    ['author.replaceOne', undefined, 'absent '],
    ['author.replaceOne', [], 'form /data'],
    ['author.replaceOne', { type: 'tags', id: 't' }, 'choice /data/type'],
    ['author.replaceOne', { type: 'people' }, 'absent /data'],
    ['author.replaceOne', { ...person, attributes: {} }, 'form /data/attributes'],
    ['author.replaceOne', { ...person, meta: { any: 1 } }],
    ['author.replaceOne', { ...person, meta: 1 }, 'form /data/meta'],
    ['contributors.replaceMany', []],
    ['contributors.replaceMany', editors(100)],
    ['contributors.replaceMany', undefined, 'absent '],
    ['contributors.replaceMany', null, 'absent /data'],
    ['contributors.replaceMany', editors(1)[0], 'form /data'],
    ['contributors.addMany', [{ ...editors(1)[0], lid: 'l' }, ...editors(2)]],
    ['contributors.addMany', people('p1'), 'absent /data/0'],
    ['contributors.addMany', ['p1', 1], 'form /data/0', 'form /data/1'],
    ['contributors.addMany', editors(101), 'form /data'],
    ['contributors.addMany', [...editors(1), reviewer], 'form /data/1'],
    ['contributors.addMany', [{ ...person, meta: { part: 'EDITOR', more: 1 } }]],
    [
      'contributors.addMany',
      ['EDITOR', 'REVIEWER'].map((part) => ({ type: 'people', meta: { part } })),
      ...['absent /data/0', 'absent /data/1'],
    ],
    // Members can be removed with or without their meta.
    ['contributors.removeMany', [...people('p1', 'p2'), ...editors(1), reviewer]],
    ['contributors.removeMany', [{ ...person, meta: {} }]],
    ['contributors.removeMany', people('', 1), 'form /data/0/id', 'form /data/1/id'],
    ['contributors.removeMany', people('x'.repeat(65)), 'form /data/0/id'],
    ['contributors.removeMany', [{ type: 'tags', id: 't' }], 'choice /data/0/type'],
    [
      'contributors.removeMany',
      [{ ...person, meta: { part: 'X', more: 1 } }],
      'choice /data/0/meta/part',
    ],
  ])('%s with %j has the problems %j', (operation, data, ...problems) => {
    expect(problemsOf(`articles.${operation}`, { data })).toEqual(problems)
  })

  it('have the members of a document beside their data, and no others', () => {
    const body = { data: person, meta: {}, links: {}, jsonapi: {}, x: 1 }
    expect(problemsOf('articles.author.replaceOne', body)).toEqual(['form /x'])
  })

  it('refuse a resource as its own member where the relationship is declared so', () => {
    const { definition, operation } = endpointOf('people.follows.addMany')
    const { follows } = definition.relationships
    const strict = { ...definition, relationships: { follows: { ...follows, reflexive: false } } }
    const read = bodyReader(strict as typeof definition, operation, 'follows')
    expect(told(read({ data: people('p2', 'p1') }, 'p1'))).toEqual([`${format} /data/1/id`])
    // It can be removed, since it was never there.
    const remove = bodyReader(strict as typeof definition, 'removeMany', 'follows')
    expect(told(remove({ data: people('p1') }, 'p1'))).toEqual([])
    expect(bodyReader(definition, operation, 'follows')({ data: people('p1') }, 'p1').ok).toBe(true)
  })
})

describe('a string that no store keeps', () => {
  it.each(['X\0', '\ud800X'])('%j is refused without a problem: parseBody told of it', (notes) => {
    const body = withTitle({ notes })
    expect(judge('articles.create', body)).toEqual({ ok: false, problems: [], omitted: 0 })
  })
})

describe('bodies follow from the declaration', () => {
  const create = (body: object) =>
    bodyReader(endpointOf('tags.list').definition, 'create', undefined)(body, undefined)

  it('need no attributes where none is required', () => {
    expect(told(create({ data: { type: 'tags' } }))).toEqual([])
  })

  it('take no relationship that cannot be replaced', () => {
    const body = { data: { type: 'tags', relationships: { neighbours: { data: [] } } } }
    expect(told(create(body))).toEqual([`${format} /data/relationships/neighbours`])
  })

  it('are described with the one type they take, and with no id but null in a create', () => {
    const { definition } = endpointOf('articles.create')
    const described = (operation: 'create' | 'update') =>
      schemaObject(bodySchema(definition, operation, undefined), 'input')
    const type = { type: 'string', enum: ['articles'] }
    expect(described('create')).toMatchObject({ properties: { data: { properties: { type } } } })
    const ids = [described('create'), described('update')].map(
      // biome-ignore lint/suspicious/noExplicitAny: the test reaches into schemas it knows
      (schema: any) => schema.properties.data.properties.id,
    )
    expect(ids).toMatchObject([{ nullable: true, enum: [null] }, { type: 'string' }])
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
  const detail = (body: object, endpoint = 'articles.create') => {
    const verdict = judge(endpoint, body)
    return verdict.ok ? undefined : verdict.problems[0]?.detail
  }

  it.each<[object, ...string[]]>([
    [article({ x: 1 }), 'not taken here', 'type, id, lid, attributes, relationships, links, meta'],
    [withTitle({ title: '' }), '"title" is "", but must have at least 1 character.'],
    [withTitle({ title: 'x'.repeat(61) }), 'at most 60 characters'],
    [withTitle({ words: true }), '"words" is true, but must be a number.'],
    [withTitle({ layout: { blocks: [{ kind: 'X' }] } }), 'must be one of: TEXT, IMAGE.'],
    [article({ type: 'people' }), 'must be articles'],
    [article({ attributes: ['seven'] }), '"attributes" must be an object.'],
    [related({ tags: { data: ['x'] } }), '"data"[0] is "x", but must be an object.'],
    [related({ author: { data: [] } }), '"data" must be an object or null.'],
    [related({ author: { data: { ...person, x: 1 } } }), 'Allowed: type, id, lid, meta.'],
    [{}, '"data" is required'],
    [withTitle({ title: null }), '"title" must not be null'],
    [related({ contributors: { data: editors(101) } }), '"data" must have at most 100 items.'],
  ])('of %j names the value and what is allowed (contract, section 5)', (body, ...parts) => {
    for (const part of parts) {
      expect(detail(body)).toContain(part)
    }
  })

  it('names both ids where they differ, and the one that stands twice', () => {
    expect(detail(update({ id: 'a2' }), 'articles.update')).toMatch(/"a2".*"a1"/)
    const twice = ['EDITOR', 'REVIEWER'].map((part) => ({ ...people('p1')[0], meta: { part } }))
    expect(detail({ data: twice }, 'articles.contributors.addMany')).toContain('"p1"')
  })

  it('names each required attribute where a create has none (contract, section 2)', () => {
    const verdict = judge('articles.create', { data: { type: 'articles' } })
    expect(verdict.ok ? [] : verdict.problems.map((problem) => problem.detail)).toEqual([
      '"title" is required.',
      '"handle" is required.',
      '"section" is required.',
    ])
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

describe('the number of identifiers in a body (contract, sections 6 and 10)', () => {
  it.each<[count: number, author: unknown, ...problems: string[]]>([
    [99, people('p1')[0]],
    [100, people('p1')[0], 'form /data/relationships'],
    [100, null],
    [100, undefined],
  ])('is at most a hundred: %d of a to-many, and of a to-one %j', (count, author, ...problems) => {
    const body = related({
      contributors: { data: editors(count) },
      ...(author !== undefined && { author: { data: author } }),
    })
    expect(problemsOf('articles.create', body)).toEqual(problems)
  })

  it.each<[what: string, body: unknown, count: number]>([
    ['a list of them', { data: editors(3) }, 3],
    ['an empty list', { data: [] }, 0],
    ['a resource object without relationships', article(), 0],
    [
      'the relationships of a resource object, a to-one as one',
      related({
        author: { data: people('p1')[0] },
        contributors: { data: editors(3) },
        tags: { data: [] },
      }),
      4,
    ],
    ['a relationship that is emptied, as none', related({ author: { data: null } }), 0],
    ['a body without data', {}, 0],
    ['relationships that are no object', related([]), 0],
    ['null', null, 0],
  ])('is counted before the body is validated: of %s', (_, body, count) => {
    expect(identifiersIn(body)).toBe(count)
  })

  it('makes no list of the characters of a text', () => {
    const values = vi.spyOn(Object, 'values')
    expect(identifiersIn({ data: { relationships: 'x'.repeat(60_000) } })).toBe(0)
    expect(values).not.toHaveBeenCalled()
    values.mockRestore()
  })
})
