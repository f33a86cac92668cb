import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { readValues } from '../../../src/db/page-sql.ts'
import { readStatement } from '../../../src/db/read-sql.ts'
import {
  all,
  type Bindable,
  bind,
  commas,
  compile,
  each,
  param,
  prepare,
} from '../../../src/db/statement.ts'
import { type From, nothing, readOf } from '../../../src/jsonapi/run/plan.ts'
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
    expect(await prepare(db, bind(statement, { a: null, b: 'x' })).raw()).toEqual([[null, 'x']])
    expect(() => bind(statement, { a: 'x', b: undefined })).toThrow(
      'The parameter b has no value: SELECT ?, ? WHERE 1',
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

describe('the text of a read depends on its plan, never on its values', () => {
  it('so that many values are one parameter, far from the 100 that D1 takes', () => {
    const filtered = (count: number) =>
      readOf({
        type: 'articles',
        from: { ...wholePage, filter: { id: Array.from({ length: count }, String) } },
        show: { attributes: ['title'], ownAttributes: [], relationships: ['tags'] },
        viewer: null,
      })
    expect(filtered(1_000).plan).toBe(filtered(2).plan)
    const { statement } = readStatement(registry, filtered(2).plan)
    expect(statement.parameters.length).toBeLessThan(20)
    const values = readValues(registry.get('articles'), filtered(1_000).values)
    expect(bind(statement, values).text).toBe(statement.text)
  })

  it('and a plan whose values are of another read is refused, not answered with nothing', async () => {
    const read = (from: From) => readOf({ type: 'articles', from, show: nothing, viewer: null })
    const sorted = read({
      ...wholePage,
      sort: [{ field: 'title', descending: false }],
      after: ['x', 'y'],
    })
    const { values } = read({ ...wholePage, after: ['x'] })
    const { store } = await openDomain()
    await expect(store.read([sorted])).resolves.toMatchObject([{ records: [] }])
    await expect(store.read([{ plan: sorted.plan, values }])).rejects.toMatchObject({
      cause: { message: expect.stringContaining('has no value') },
    })
  })
})
