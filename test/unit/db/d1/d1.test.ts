import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { article, dump, insertAll, openDomain, person, tag } from '../second-domain/domain.ts'
import { mostDatabases } from './setup.ts'

type Domain = Awaited<ReturnType<typeof openDomain>>

/** Puts a row into every table. */
const fill = ({ d1 }: Domain) =>
  insertAll(d1, [
    ['tags', [tag('t')]],
    ['tag_neighbours', [{ tag: 't', neighbour: 't', weight: 'LIGHT' }]],
    ['people', [person('p', { favourite: 't' })]],
    ['follows', [{ follower: 'p', followed: 'p' }]],
    ['articles', [article('a', { author: 'p' })]],
    ['contributions', [{ article: 'a', person: 'p', part: 'EDITOR' }]],
    ['article_tags', [{ article: 'a', tag: 't' }]],
    ['visits', [{ visit_no: 'v', begun: 0, pages: 1, paid: 0 }]],
    ['similar_visits', [{ visit: 'v', similar: 'v' }]],
    ['idempotency_keys', [{ name: 'k', fingerprint: 'f', created: 'a', at: 0 }]],
  ])

describe('a database of a test', () => {
  it('is as new when it is taken again, whatever was put into any table', async () => {
    const { before, after } = await (async () => {
      using domain = await openDomain()
      const before = await dump(domain.d1)
      await fill(domain)
      return { before, after: await dump(domain.d1) }
    })()
    const emptyAfter = after.filter(([, rows]) => (rows as readonly unknown[]).length === 0)
    expect(emptyAfter).toEqual([])
    expect(await dump((await openDomain()).d1)).toEqual(before)
  })

  it('is seen by nobody else, and by nobody at all once it is given back', async () => {
    const [one, other] = [await openDomain(), await openDomain()]
    const before = await dump(other.d1)
    await fill(one)
    expect(await dump(other.d1)).toEqual(before)
    one[Symbol.dispose]()
    await expect(dump(one.d1)).rejects.toThrow('has been given back')
  })

  it('is refused where a test file holds too many already', async () => {
    for (let count = 0; count < mostDatabases; count++) {
      await openDomain()
    }
    await expect(openDomain()).rejects.toThrow(`All ${mostDatabases} databases`)
  })

  it.each([undefined, true, 1n, Number.NaN, {}])(
    'takes no parameter that would reach it as another value: %s',
    async (value) => {
      const { d1 } = await openDomain()
      expect(() => d1.prepare('SELECT ?').bind(value)).toThrow('A parameter is')
    },
  )

  it('is D1 itself, with its limits, its words and its transactions', async () => {
    const { d1 } = await openDomain()
    const many = d1.prepare(`SELECT ${Array(101).fill('?')}`).bind(...Array(101).fill(1))
    await expect(many.raw()).rejects.toThrow(/^D1_ERROR: too many SQL variables/)
    const insertTag = d1.prepare("INSERT INTO tags VALUES ('a', 'Label', 'kind')")
    const text =
      'UNIQUE constraint failed: tags.slug: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)'
    await expect(d1.batch([insertTag, insertTag])).rejects.toMatchObject({
      message: `D1_ERROR: ${text}`,
      cause: { message: text },
    })
    expect(await d1.prepare('SELECT * FROM tags').raw()).toEqual([])
    const [result] = await d1.batch([insertTag])
    expect(result?.meta).toMatchObject({ served_by: 'miniflare.db', rows_written: 2 })
  })
})

it('one version of Miniflare and one of workerd are installed: those that Wrangler brings', () => {
  const lock = readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8')
  const folders = Object.keys(JSON.parse(lock).packages)
  expect(folders.filter((folder) => /node_modules\/(?:miniflare|workerd)$/.test(folder))).toEqual([
    'node_modules/miniflare',
    'node_modules/workerd',
  ])
})
