import { describe, expect, it, vi } from 'vitest'
import { operationsReader } from '../../../../src/jsonapi/atomic/reader.ts'
import type { Principal } from '../../../../src/jsonapi/declare/resource.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { told, toldInShort, verdictOf } from '../run/readers.ts'

/** Reads transactions of the second domain below `/root`. */
const read = operationsReader(registry, '/root')

/** A person who may write everything that is theirs. */
const ann: Principal = {
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(['articles.read', 'articles.write', 'people.write']),
}

/** Judges operations. */
const judge = (operations: unknown, principal = ann) =>
  verdictOf((faults) => read({ 'atomic:operations': operations }, principal, faults))

/** Code, in short, and place of each fault, below the operations: `absent /0/data`. */
const faults = (...operations: unknown[]) =>
  toldInShort(judge(operations)).map((text) => text.replace('/atomic:operations', ''))

/** A resource object of an article. */
const article = { type: 'articles', attributes: { title: 'T', handle: 'h', section: 's' } }
/** A resource object of a person. */
const person = { type: 'people', attributes: { nickname: 'n', born: 1 } }
/** The operation that adds a resource. */
const add = (data: object = article) => ({ op: 'add', data })
/** The `ref` of a relationship of an article. */
const on = (relationship: string, named: object = { id: 'a' }) => ({
  type: 'articles',
  ...named,
  relationship,
})
/** The identifier of a contributor. */
const editor = (named: object) => ({ type: 'people', ...named, meta: { part: 'EDITOR' } })

const a = { type: 'articles', id: 'a' }
const x = { type: 'articles', lid: 'x' }
const all = '/root/articles'
const elsewhere = { ...article, type: 'people' }
/** An id of one character more than an id may have. */
const long = 'x'.repeat(65)

describe('a transaction that is not valid', () => {
  it.each<[what: string, operations: unknown, ...problems: string[]]>([
    ['nothing', undefined, 'absent '],
    ['an empty list', [], 'form /atomic:operations'],
    ['no list', {}, 'form /atomic:operations'],
    [
      'more than twenty, and a fault in the first of them',
      [{ op: 'x' }, ...Array(20).fill(add())],
      ...['choice /atomic:operations/0/op', 'form /atomic:operations'],
    ],
  ])('has %s for its operations', (_, operations, ...expected) => {
    const told = toldInShort(judge(operations)).filter((text) => !text.startsWith('absent /'))
    expect(told.toSorted()).toEqual(expected)
  })

  it.each<[what: string, operation: unknown, ...problems: string[]]>([
    ['is no object', 7, 'form /0'],
    ['has no op', { data: article }, 'absent /0'],
    ['adds nothing', { op: 'add' }, 'absent /0'],
    ['adds null', { op: 'add', data: null }, 'absent /0/data'],
    ['has no type in data', { op: 'add', data: {} }, 'absent /0/data'],
    ['has a number for a type', { op: 'add', data: { type: 7 } }, 'form /0/data/type'],
    ['is a write that is not implemented', add({ type: 'tags' }), 'unknown /0/data/type'],
    ['adds a resource by ref', { ...add(), ref: a }, 'form /0/ref'],
    ['adds a resource at its own path', { ...add(), href: '/root/articles/a' }, 'form /0/href'],
    ['adds elsewhere', { ...add(elsewhere), href: all }, 'conflict /0/data/type'],
    ['adds to a to-one', { op: 'add', ref: on('author'), data: null }, 'choice /0/op'],
    ['adds to the unknown', { op: 'add', ref: on('x'), data: [] }, 'unknown /0/ref/relationship'],
    ['adds no list to a list', { op: 'add', ref: on('contributors'), data: {} }, 'form /0/data'],
    ['has a list for a to-one', { op: 'update', ref: on('author'), data: [{}] }, 'form /0/data'],
    ['updates nothing', { op: 'update' }, 'absent /0'],
    ['updates without an id', { op: 'update', data: { type: 'articles' } }, 'absent /0/data'],
    ['updates another', { op: 'update', ref: a, data: { ...a, id: 'b' } }, 'conflict /0/data/id'],
    ['updates by an unknown lid', { op: 'update', data: x }, 'form /0/data/lid'],
    ['updates by id what has another lid', { op: 'update', ref: a, data: x }, 'form /0/data/lid'],
    ['updates by a number', { op: 'update', ref: { ...a, id: 7 } }, 'absent /0', 'form /0/ref/id'],
    ['names nothing', { op: 'remove' }, 'absent /0'],
    ['removes what data alone name', { op: 'remove', data: a }, 'absent /0'],
    ['removes a resource with data', { op: 'remove', ref: a, data: 1 }, 'form /0/data'],
    ['removes a resource with null', { op: 'remove', ref: a, data: null }, 'form /0/data'],
    ['removes a collection', { op: 'remove', href: all }, 'form /0/href'],
    ['has ref and href', { op: 'remove', ref: a, href: '/root/articles/a' }, 'form /0/href'],
    ['has a list for a ref', { op: 'remove', ref: [] }, 'form /0/ref'],
    ['has an id and a lid in ref', { op: 'remove', ref: { ...a, lid: 'a' } }, 'form /0/ref/lid'],
    ['has neither in ref', { op: 'remove', ref: { type: 'articles' } }, 'absent /0/ref'],
    ['has an unknown type', { op: 'remove', ref: { ...a, type: 'x' } }, 'unknown /0/ref/type'],
    ...['', long, 'a\0'].map((id): [string, unknown, string] => [
      `has the id ${JSON.stringify(id)} in ref`,
      ...([{ op: 'remove', ref: { ...a, id } }, 'form /0/ref/id'] as const),
    ]),
    [
      'links to lids that nothing has',
      add({
        ...article,
        relationships: {
          author: { data: { type: 'people', lid: 'x' } },
          contributors: { data: [editor({ id: 'p' }), editor({ lid: 'y' })] },
        },
      }),
      'form /0/data/relationships/author/data/lid',
      'form /0/data/relationships/contributors/data/1/lid',
    ],
  ])('has an operation that %s', (_, operation, ...expected) => {
    expect(faults(operation).toSorted()).toEqual(expected)
  })

  it.each([
    7,
    '/articles/a',
    '/root',
    '/rootarticles/a',
    '/toor/articles/a',
    '/root/articles/a#x',
    '/root/articles/%zz',
    `/root/articles/${long}`,
    '/root/articles/a/contributors',
    '/root/articles/a/relations/contributors',
    '/root/articles/a/relationships/contributors/t',
    'https://example.com/root/articles/a',
  ])('has %j for an href', (href) => {
    expect(faults({ op: 'remove', href })).toEqual(['form /0/href'])
  })

  it.each(['/root/dogs/a', '/root/articles/a/relationships/friends'])(
    'has an href that leads nowhere: %s',
    (href) => {
      expect(faults({ op: 'remove', href, data: [] })).toEqual(['unknown /0/href'])
    },
  )

  it('uses a lid before it is made, of another type, or makes one twice', () => {
    const remove = (type: string) => ({ op: 'remove', ref: { type, lid: 'x' } })
    const named = { ...article, lid: 'x' }
    expect(faults(remove('articles'), add(named), remove('people'), add(named))).toEqual([
      'form /0/ref/lid',
      'form /2/ref/lid',
      'conflict /3/data/lid',
    ])
  })

  it('uses the lid of what is added in its own linkage, or updates another resource by a lid than it names', () => {
    const follows = { data: [{ type: 'people', lid: 'x' }] }
    expect(faults(add({ ...person, lid: 'x', relationships: { follows } }))).toEqual([
      'form /0/data/relationships/follows/data/0/lid',
    ])
    const update = (data: object) => ({ op: 'update', ref: a, data })
    const made = add({ ...article, lid: 'x' })
    expect(faults(made, update(x), update({ ...x, id: 'b' }))).toEqual([
      'conflict /1/data/lid',
      'conflict /2/data/id',
    ])
  })

  it('has more than a hundred identifiers in all operations together', () => {
    const many = (count: number) => ({
      op: 'add',
      ref: on('contributors'),
      data: Array.from({ length: count }, (_, n) => editor(n < 100 ? { id: `p${n}` } : {})),
    })
    const author = (data: unknown) => ({ op: 'update', ref: on('author'), data })
    expect(faults(many(60), many(40), author(null))).toEqual([])
    for (const operations of [
      [many(60), many(41)],
      [many(100), author({ type: 'people', id: 'p' })],
    ]) {
      expect(toldInShort(judge(operations))).toEqual(['form /atomic:operations'])
    }
    expect(faults(many(60), { ...many(41), op: 'x' })).toEqual(['choice /1/op', 'form '])
    expect(faults(many(101), many(1))).toEqual(['form /0/data'])
  })

  it('is validated no further behind the fiftieth fault', () => {
    const looked = vi.fn()
    const data = {
      type: 'articles',
      get attributes() {
        return looked()
      },
    }
    const faulty = (count: number) => ({
      ...{ op: 'update', ref: on('contributors') },
      data: Array(count).fill({}),
    })
    const { kept, omitted } = judge([faulty(100), add(data)]).faults
    expect([kept.length, omitted > 0, looked.mock.calls]).toEqual([50, true, []])
    judge([faulty(1), add(data)])
    expect(looked).toHaveBeenCalled()
  })

  it('has an operation that the scopes of the token do not permit, beside what else is wrong', () => {
    const writer: Principal = { ...ann, scopes: new Set(['articles.write']) }
    expect(toldInShort(judge([add(), add(person), { op: 'x' }], writer))).toEqual([
      'choice /atomic:operations/2/op',
      'INSUFFICIENT_ENTITLEMENTS /atomic:operations/1',
      'absent /atomic:operations/2',
    ])
  })
})

describe('the target of an operation', () => {
  it('is said to need relationship where members may be meant', () => {
    const [problem] = judge([{ op: 'add', ref: a, data: article }]).faults.kept
    expect(problem?.detail).toContain('To add members, send relationship in ref, too.')
  })

  it('may be a path with any of its parts percent-encoded', () => {
    const href = '/root/%61rticles/%61/relation%73hips/%63ontributors'
    const [operation] = judge([{ op: 'add', href, data: [] }]).value ?? []
    expect(operation).toMatchObject({ id: 'a', relationship: 'contributors' })
  })

  it('has a fault at the lid that names it', () => {
    const places = (operation: object) => {
      const verdict = judge([add({ ...article, lid: 'x' }), operation])
      const problem = { code: 'NOT_FOUND', detail: 'None.', source: { path: 'id' } } as const
      expect(told(verdict)).toEqual([])
      return verdict.value?.[1]?.place(problem).source
    }
    expect([
      places({ op: 'remove', ref: x }),
      places({ op: 'update', data: x }),
      places({ op: 'remove', href: '/root/articles/a' }),
    ]).toEqual(
      ['ref/lid', 'data/lid', 'href'].map((at) => ({ pointer: `/atomic:operations/1/${at}` })),
    )
  })
})
