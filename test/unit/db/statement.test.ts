import { SQL, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { readBinder, readStatement } from '../../../src/db/read.ts'
import {
  all,
  type Bindable,
  bind,
  commas,
  compile,
  each,
  param,
} from '../../../src/db/statement.ts'
import type { From, Read } from '../../../src/jsonapi/run/store.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

type Sent = Readonly<Record<'a' | 'b', Bindable | undefined>>
const a = param<Sent>('a')
const b = param<Sent>('b')

describe('a statement is constant text with parameters (contract, section 6: hostile input)', () => {
  it('which take their values in the order they stand in the text', () => {
    const statement = compile<Sent>(sql`SELECT ${b}, ${a} FROM ${each<Sent>('b')}`)
    expect(statement).toEqual({
      text: 'SELECT ?, ? FROM json_each(?)',
      parameters: ['b', 'a', 'b'],
    })
    expect(bind(statement, { a: null, b: '[]' }).values).toEqual(['[]', null, '[]'])
  })

  it('and a parameter without a value is refused as a mistake of the program', () => {
    expect(() => compile(sql`SELECT ${'value'}`)).toThrow('holds a value')
    expect(() => compile(sql`SELECT ${1}`)).toThrow('holds a value')
  })

  it('binds null where null is the value, and nothing where there is none', async () => {
    const { db } = await openDomain()
    const statement = compile<Sent>(sql`SELECT ${commas([a, b])} WHERE ${all([])}`)
    const { text, values } = bind(statement, { a: null, b: 'x' })
    expect(
      await db
        .prepare(text)
        .bind(...values)
        .raw(),
    ).toEqual([[null, 'x']])
    expect(() => bind(statement, { a: 'x', b: undefined })).toThrow(
      'The parameter b has no value: SELECT ?, ? WHERE TRUE',
    )
  })

  it('takes ids, filters and positions as values, whatever they hold', async () => {
    const { d1, store, roundTrips } = await openDomain()
    await insert(d1, 'articles', article('a'))
    const hostile = `'); DROP TABLE articles; --"\\ % _ ? :a`
    const froms: From[] = [
      { ...wholePage, filter: { id: [hostile], section: [hostile] }, limit: 1, total: true },
      {
        ...wholePage,
        sort: [{ field: 'title', descending: true }],
        after: [hostile, hostile],
        limit: 1,
      },
      { kind: 'ids', ids: [hostile, `${hostile}2`] },
      { kind: 'ids', ids: [hostile] },
      {
        kind: 'linkage',
        id: hostile,
        relationship: 'contributors',
        filter: { id: [hostile] },
        sort: [{ field: 'born', descending: true }],
        after: [hostile, hostile],
        limit: 1,
      },
      {
        ...wholePage,
        of: { type: 'articles', id: hostile, relationship: 'contributors' },
        filter: { id: [hostile] },
        sort: [{ field: 'born', descending: true }],
        after: [hostile, hostile],
      },
    ]
    for (const from of froms) {
      const endpoint =
        from.kind === 'linkage'
          ? 'articles.contributors.readMany'
          : from.kind === 'page' && from.of
            ? 'articles.contributors.relatedMany'
            : 'articles.list'
      const { found } = await readAs(store, endpoint, from)
      expect(found.members).toEqual([])
    }
    expect(roundTrips.flat().filter((text) => text.includes('DROP'))).toEqual([])
    expect(await d1.prepare('SELECT count(*) FROM articles').raw()).toEqual([[1]])
  })
})

// Few choices of each part, so that many reads have one shape and many others differ in one part.
const show = fc.constantFrom(
  { attributes: ['title'], ownAttributes: [], relationships: [] },
  { attributes: ['title'], ownAttributes: ['notes'], relationships: ['contributors'] },
)
const showOfPeople = fc.constantFrom(
  { attributes: [], ownAttributes: [], relationships: [] },
  { attributes: ['nickname'], ownAttributes: [], relationships: ['follows'] },
)

/** Pages of any size in one order or another. */
const pageOf = (field: string) => ({
  filter: fc.constantFrom<Readonly<Record<string, string[]>>[]>(
    {},
    { id: ['x'] },
    { id: ['x', 'y'] },
  ),
  sort: fc.constantFrom([], [{ field, descending: false }], [{ field, descending: true }]),
  after: fc.constantFrom(undefined, ['x', 'y'], ['y', 'z']),
  limit: fc.constantFrom(undefined, 1, 20),
})
const id = fc.constantFrom('a1', 'a2')

/** Any read of articles, their contributors, or the people who are those. */
const reads: fc.Arbitrary<Read> = fc
  .record({
    from: fc.oneof<fc.Arbitrary<From>[]>(
      fc.record({ kind: fc.constant('ids'), ids: fc.uniqueArray(id) }),
      fc.record({
        kind: fc.constant('page'),
        ...pageOf('title'),
        offset: fc.constantFrom(0, 5, 7),
        total: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('page'),
        of: fc.record({
          type: fc.constant('articles'),
          id,
          relationship: fc.constantFrom('contributors', 'author'),
        }),
        ...pageOf('born'),
        offset: fc.constant(0),
        total: fc.constant(false),
      }),
      fc.record({
        kind: fc.constant('linkage'),
        id,
        relationship: fc.constantFrom('contributors', 'author'),
        ...pageOf('born'),
      }),
    ),
    articles: show,
    people: showOfPeople,
    isWhole: fc.boolean(),
    isIncluding: fc.boolean(),
    viewer: fc.constantFrom(null, 'ann', 'bob'),
  })
  .map(({ from, articles, people, isWhole, isIncluding, viewer }) => {
    const isOfPeople = from.kind === 'page' && from.of !== undefined
    const relationship = from.kind === 'linkage' ? from.relationship : 'contributors'
    return {
      type: isOfPeople ? 'people' : 'articles',
      from,
      show: isOfPeople ? people : articles,
      alongside:
        isIncluding && !isOfPeople ? [{ relationship, target: 'people', show: people }] : [],
      ...(isWhole && { members: 'all' as const }),
      viewer,
    }
  })

describe('the text of a read depends on its shape, never on its values', () => {
  it('so that many values are one parameter, far from the 100 that D1 takes', () => {
    const filtered = (count: number): Read => ({
      type: 'articles',
      from: { ...wholePage, filter: { id: Array.from({ length: count }, String) } },
      show: { attributes: ['title'], ownAttributes: [], relationships: ['tags'] },
      alongside: [],
      viewer: null,
    })
    const { statement } = readStatement(registry, filtered(1_000))
    expect(statement.parameters.length).toBeLessThan(20)
    expect(statement.text).toBe(readStatement(registry, filtered(2)).statement.text)
  })

  it('and a read is bound to a statement that was made for another one only where both are equal', async () => {
    const { cipher } = await openDomain()
    const bindRead = readBinder(registry, cipher)
    fc.assert(
      fc.property(reads, (read) => {
        expect(bindRead(read).text).toBe(readStatement(registry, read).statement.text)
      }),
      { numRuns: 1_000 },
    )
  })

  it('which are compiled once, whatever the values', async () => {
    const { cipher } = await openDomain()
    const bindRead = readBinder(registry, cipher)
    const compiling = vi.spyOn(SQL.prototype, 'toQuery')
    const read: Read = {
      type: 'articles',
      from: { kind: 'ids', ids: ['a1'] },
      show: { attributes: ['title'], ownAttributes: [], relationships: [] },
      alongside: [],
      viewer: null,
    }
    const page = { ...wholePage, filter: { section: ['x'] }, after: ['x'], limit: 1, offset: 1 }
    const of = { type: 'articles', relationship: 'tags' }
    const linkage = { ...wholePage, kind: 'linkage', relationship: 'tags' } as const
    const pairs: readonly [From, From][] = [
      [read.from, { kind: 'ids', ids: ['a2'] }],
      [
        { kind: 'ids', ids: ['a1', 'a2'] },
        { kind: 'ids', ids: ['a3', 'a4', 'a5'] },
      ],
      [page, { ...page, filter: { section: ['y', 'z'] }, after: ['y'], limit: 2, offset: 2 }],
      [
        { ...wholePage, of: { ...of, id: 'a1' } },
        { ...wholePage, of: { ...of, id: 'a2' } },
      ],
      [
        { ...linkage, id: 'a1' },
        { ...linkage, id: 'a2' },
      ],
    ]
    for (const [one, other] of pairs) {
      compiling.mockClear()
      bindRead({ ...read, from: one, viewer: 'ann' })
      bindRead({ ...read, from: other, viewer: 'bob' })
      expect(compiling).toHaveBeenCalledTimes(1)
    }
  })
})
