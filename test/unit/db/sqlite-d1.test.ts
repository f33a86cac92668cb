import { describe, expect, it } from 'vitest'
import { type Around, sqliteD1, sqliteOf } from './sqlite-d1.ts'

const schema = new URL('second-domain/migration.sql', import.meta.url)
const open = (around?: Around) => sqliteD1(sqliteOf(schema), around)

const tag = (slug: string) => `INSERT INTO tags VALUES ('${slug}', 'Label', 'kind')`

describe('the stand-in for D1 behaves like it', () => {
  it('gives rows of a single statement as values and of a batch as objects, which names must tell apart', async () => {
    const db = open()
    expect(await db.prepare('SELECT 1 AS a, ? AS a').bind('x').raw()).toEqual([[1, 'x']])
    const [result] = await db.batch([db.prepare('SELECT 1 AS a, ? AS a').bind('x')])
    expect(result?.results).toEqual([{ a: 'x' }])
  })

  it('takes all of a batch back when its last statement fails', async () => {
    const db = open()
    const batch = db.batch([db.prepare(tag('a')), db.prepare('INSERT INTO nowhere VALUES (1)')])
    await expect(batch).rejects.toThrow('D1_ERROR: no such table: nowhere: SQLITE_ERROR')
    expect(await db.prepare('SELECT * FROM tags').raw()).toEqual([])
  })

  it.each([
    [
      `${tag('a')}, ('a', 'Other', 'kind')`,
      'UNIQUE constraint failed: tags.slug: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)',
    ],
    [
      "INSERT INTO people VALUES ('1', 'A', 1, 'nothing')",
      'FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)',
    ],
    [
      'INSERT INTO people (person_no) VALUES (1)',
      'NOT NULL constraint failed: people.nickname: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)',
    ],
    ["SELECT 1 LIMIT 'x'", 'datatype mismatch: SQLITE_MISMATCH'],
  ])('says what D1 says: %s', async (text, message) => {
    const db = open()
    await expect(db.prepare(text).raw()).rejects.toThrow(`D1_ERROR: ${message}`)
  })

  it('refuses what D1 cannot bind, and more than 100 parameters', async () => {
    const db = open()
    expect(() => db.prepare('SELECT ?').bind(undefined)).toThrow('D1_TYPE_ERROR')
    expect(() => db.prepare('SELECT ?').bind(1n)).toThrow('D1_TYPE_ERROR')
    expect(await db.prepare('SELECT ?, ?').bind(true, Number.NaN).raw()).toEqual([[1, null]])
    const many = db.prepare(`SELECT ${Array(101).fill('?').join()}`).bind(...Array(101).fill(1))
    await expect(many.raw()).rejects.toThrow('too many SQL variables')
  })
})
