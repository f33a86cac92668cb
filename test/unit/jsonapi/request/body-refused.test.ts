import { describe, expect, it } from 'vitest'
import { article, editors, people, problemsOf, related, update, withTitle } from './bodies.ts'

const tag = { type: 'tags', id: 't' }
/** Somebody who contributes, once more and as something else. */
const reviewer = { ...people('p0')[0], meta: { part: 'REVIEWER' } }

describe('the body of a create', () => {
  it.each([
    article(),
    article({ lid: 'x', meta: { any: [1] }, links: {}, relationships: {} }),
    withTitle({ words: null, layout: null, notes: null }),
    withTitle({ title: 'x'.repeat(60), words: -1, layout: { blocks: [] } }),
    related({ author: { data: { type: 'people', id: 'p', lid: 'l', meta: {} }, meta: {} } }),
    related({ contributors: { data: editors(100) } }),
    related({ tags: { data: [{ type: 'tags', id: 'x'.repeat(64) }] } }),
  ])('may be %j', (body) => {
    expect(problemsOf('articles.create', body)).toEqual([])
  })

  it.each<[body: object, ...problems: string[]]>([
    [{}, 'absent '],
    [{ data: null }, 'absent /data'],
    [{ data: [] }, 'form /data'],
    [{ data: {} }, ...Array(4).fill('absent /data')],
    [article({ x: 1, 'y/z': 2 }), 'form /data/x', 'form /data/y~1z'],
    [article({ attributes: undefined }), ...Array(3).fill('absent /data')],
    [article({ attributes: null }), ...Array(3).fill('absent /data/attributes')],
    [article({ attributes: {} }), ...Array(3).fill('absent /data/attributes')],
    [article({ relationships: null }), 'absent /data/relationships'],
  ])('may not be %j', (body, ...problems) => {
    expect(problemsOf('articles.create', body)).toEqual(problems)
  })

  it.each<[attributes: object, problem: string]>([
    [{ words: 2 ** 53 }, 'form /words'],
    [{ 'a~b': 1 }, 'form /a~0b'],
    [{ layout: { x: 1 } }, 'form /layout/x'],
    [{ layout: { blocks: [{ kind: 'TEXT' }, { kind: 'X' }] } }, 'choice /layout/blocks/1/kind'],
  ])('may not have the attributes %j', (attributes, problem) => {
    const told = problemsOf('articles.create', withTitle(attributes))
    expect(told).toEqual([problem.replace(' ', ' /data/attributes')])
  })

  it.each<[relationships: object, ...problems: string[]]>([
    [{ author: null }, 'absent /author'],
    [{ author: { data: { type: 'people', lid: 'x' } } }, 'absent /author/data'],
    [{ tags: { data: null } }, 'absent /tags/data'],
    [{ tags: { data: [null] } }, 'absent /tags/data/0'],
    [{ contributors: { data: [...editors(1), reviewer] } }, 'form /contributors/data/1'],
    [
      { contributors: { data: editors(101) }, tags: { data: [tag] } },
      ...['form /contributors/data', 'form '],
    ],
    [{ contributors: { data: editors(60) }, tags: { data: Array(41).fill(tag) } }, 'form '],
    [
      { tags: { data: Array(102).fill(null) } },
      ...['form /tags/data', ...Array.from({ length: 49 }, (_, at) => `absent /tags/data/${at}`)],
    ],
  ])('may not have the relationships %j', (relationships, ...problems) => {
    const told = problemsOf('articles.create', related(relationships))
    expect(told).toEqual(problems.map((text) => text.replace(' ', ' /data/relationships')))
  })
})

describe('the body of an update', () => {
  it.each<[body: object, ...problems: string[]]>([
    [update({})],
    [update({ attributes: { title: 'T' }, relationships: { author: { data: null } } })],
    [{ data: { type: 'articles' } }, 'absent /data'],
    [update({ attributes: null }), 'absent /data/attributes'],
    [update({ id: 'a2' }), 'conflict /data/id'],
    [update({ type: 'people', id: 'a2' }), 'conflict /data/type', 'conflict /data/id'],
    [
      update({ attributes: { x: 1 }, relationships: { y: {} } }),
      ...['form /data/attributes/x', 'form /data/relationships/y'],
    ],
  ])('%j has the problems %j', (body, ...problems) => {
    expect(problemsOf('articles.update', body)).toEqual(problems)
  })

  it('may not set what the server sets', () => {
    const body = {
      data: { type: 'visits', id: 'a1', attributes: { recorded: '2026-01-02T03:04:05.678Z' } },
    }
    expect(problemsOf('visits.update', body)).toEqual(['form /data/attributes/recorded'])
  })
})
