import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { readStatement } from '../../src/db/read-sql.ts'
import { all, commas, compile, each, param, prepare } from '../../src/db/statement.ts'
import type { From } from '../../src/jsonapi/store.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

describe('a statement is constant text with named parameters (contract, section 6: hostile input)', () => {
  it('in the order they stand in the text', () => {
    const query = sql`SELECT ${param('b')}, ${param('a')} FROM ${each('b')}`
    expect(compile(query)).toEqual({
      text: 'SELECT ?, ? FROM json_each(?)',
      parameters: ['b', 'a', 'b'],
    })
  })

  it('and no value, which is a mistake of the program', () => {
    expect(() => compile(sql`SELECT ${'value'}`)).toThrow('holds a value')
    expect(() => compile(sql`SELECT ${1}`)).toThrow('holds a value')
  })

  it('binds null where no value is given', async () => {
    const { db } = await openDomain()
    const statement = compile(sql`SELECT ${commas([param('a'), param('b')])} WHERE ${all([])}`)
    expect(await prepare(db, statement, { b: 'x' }).raw()).toEqual([[null, 'x']])
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
      { kind: 'linkage', id: hostile, relationship: 'contributors', after: hostile, limit: 1 },
    ]
    for (const from of froms) {
      const endpoint = from.kind === 'linkage' ? 'articles.contributors.readMany' : 'articles.list'
      const { found } = await readAs(store, endpoint, from)
      expect(found.links).toEqual([])
    }
    expect(roundTrips.flat().filter((text) => text.includes('DROP'))).toEqual([])
    expect(await d1.prepare('SELECT count(*) FROM articles').raw()).toEqual([[1]])
  })
})

describe('the text of a read depends on its shape, never on its values', () => {
  const select = { attributes: ['title'], ownAttributes: [], relationships: ['tags'] }
  const extent = { alongside: [], members: 20 }
  const textOf = (from: From) =>
    readStatement(registry, { type: 'articles', from, alongside: [], select, viewer: null }, extent)
      .text

  it('so that many values are one parameter, far from the 100 that D1 takes', () => {
    const filtered = (count: number): From => ({
      ...wholePage,
      filter: { id: Array.from({ length: count }, String) },
    })
    expect(textOf(filtered(1_000))).toBe(textOf(filtered(2)))
    const statement = readStatement(
      registry,
      { type: 'articles', from: filtered(1_000), alongside: [], select, viewer: null },
      extent,
    )
    expect(statement.parameters.length).toBeLessThan(20)
  })
})
