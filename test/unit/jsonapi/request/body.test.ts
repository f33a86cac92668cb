import { expect, it } from 'vitest'
import { parseBody } from '../../../../src/jsonapi/json.ts'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { endpointOf, toldInShort, verdictOf } from '../run/readers.ts'

// What is wrong with the body of a user, test/http tells: faults/every-fault.test.ts and api/writes/bodies.test.ts.

/** Judges a body as an endpoint does, with `a1` in the path where there is an id. Code, in short, and pointer of each problem: `absent /data`. */
function problemsOf(name: string, body: object): string[] {
  const endpoint = endpointOf(name)
  const read = bodyReader(endpoint)
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const id = endpoint.operation === 'create' ? undefined : 'a1'
  return toldInShort(verdictOf((faults) => read(parseBody(bytes, faults) ?? {}, id, faults)))
}

/** The body of a create: an article, complete but for these members. */
const article = (members: object = {}) => ({
  data: { type: 'articles', attributes: { title: 'T', handle: 'h', section: 's' }, ...members },
})
const related = (relationships: object) => article({ relationships })
/** Identifiers of so many contributors, with the meta they need. */
const editors = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ type: 'people', id: `p${n}` },
    meta: { part: 'EDITOR' },
  }))
/** The first of them, once more and as something else. */
const reviewer = { type: 'people', id: 'p0', meta: { part: 'REVIEWER' } }
const tag = { type: 'tags', id: 't' }

it.each<[name: string, data: unknown, ...problems: string[]]>([
  ['author.replaceOne', null],
  ['author.replaceOne', [], 'form /data'],
  ['contributors.replaceMany', editors(100)],
  ['contributors.replaceMany', null, 'absent /data'],
  ['contributors.addMany', [{ ...editors(1)[0], lid: 'l' }]],
  ['contributors.addMany', editors(101), 'form /data'],
  ['contributors.addMany', [...editors(1), reviewer], 'form /data/1'],
  // Members can be removed with or without their meta.
  ['contributors.removeMany', [{ type: 'people', id: 'p1' }, ...editors(1), reviewer]],
])('linkage for %s with %j has the problems %j', (operation, data, ...problems) => {
  expect(problemsOf(`articles.${operation}`, { data })).toEqual(problems)
})

it.each<[body: object, ...problems: string[]]>([
  [article({ lid: 'x', meta: { any: [1] }, links: {}, relationships: {} })],
  [related({ author: { data: { type: 'people', id: 'p', lid: 'l', meta: {} }, meta: {} } })],
  [{}, 'absent '],
  [{ data: null }, 'absent /data'],
  [{ data: [] }, 'form /data'],
  [{ data: {} }, ...Array(4).fill('absent /data')],
  [article({ 'y/z': 2 }), 'form /data/y~1z'],
  [article({ attributes: undefined }), ...Array(3).fill('absent /data')],
  [article({ attributes: null }), ...Array(3).fill('absent /data/attributes')],
  [article({ attributes: {} }), ...Array(3).fill('absent /data/attributes')],
  [article({ relationships: null }), 'absent /data/relationships'],
  [related({ author: null }), 'absent /data/relationships/author'],
  [related({ tags: { data: null } }), 'absent /data/relationships/tags/data'],
  [
    related({ contributors: { data: editors(60) }, tags: { data: Array(41).fill(tag) } }),
    'form /data/relationships',
  ],
])('the body %j of a create has the problems %j', (body, ...problems) => {
  expect(problemsOf('articles.create', body)).toEqual(problems)
})

it.each<[members: object, ...problems: string[]]>([
  [{ id: 'a1' }],
  [{ id: 'a1', relationships: { author: { data: null } } }],
  [{}, 'absent /data'],
  [{ id: 'a1', attributes: null }, 'absent /data/attributes'],
  [{ type: 'people', id: 'a2' }, 'conflict /data/type', 'conflict /data/id'],
])('an update with %j has the problems %j', (members, ...problems) => {
  const body = { data: { type: 'articles', ...members } }
  expect(problemsOf('articles.update', body)).toEqual(problems)
})

it('an update may not set what the server sets', () => {
  const attributes = { label: { colour: 'blue' } }
  const data = { type: 'folders', id: 'a1', attributes }
  expect(problemsOf('folders.update', { data })).toEqual(['form /data/attributes/label'])
})

it('no more identifiers are looked at than a body may have', () => {
  let looks = 0
  const identifier = Object.defineProperty({ type: 'people' }, 'id', {
    enumerable: true,
    get: () => `p${++looks}`,
  })
  const read = bodyReader(endpointOf('articles.contributors.addMany'))
  verdictOf((faults) => read({ data: Array(100_000).fill(identifier) }, 'a1', faults))
  expect(looks).toBeLessThan(1_000)
})
