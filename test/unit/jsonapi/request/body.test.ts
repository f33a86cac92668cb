import { describe, expect, it } from 'vitest'
import { bodyReader, bodySchema } from '../../../../src/jsonapi/request/body.ts'
import { schemaObject } from '../../../../src/openapi/json-schema.ts'
import { endpointOf, told } from '../run/readers.ts'
import { editors, judge, people, problemsOf, update } from './bodies.ts'

const format = 'VALUE_INVALID_FORMAT'

const [person] = people('p1')
/** Somebody who contributes, once more and as something else. */
const reviewer = { ...people('p0')[0], meta: { part: 'REVIEWER' } }

describe('bodies of linkage', () => {
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
