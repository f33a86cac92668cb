import { describe, expect, it } from 'vitest'
import type { Edit, Fault } from '../../../src/jsonapi/run/port.ts'
import {
  type Change,
  changesOf,
  contributors,
  create,
  edit,
  populated,
  refused,
  remove,
  update,
} from './changes.ts'
import { article, dump, ids, insert, person } from './second-domain/domain.ts'

const linked = (...all: string[]) => all.map((id) => ({ id }))

describe('A write', () => {
  it.each([1, 20])('of %d edits is one round trip', async (count) => {
    const { writeAll, roundTrips } = await populated()
    const edits = Array.from({ length: count }, (_, nth) => edit(update('a', { title: `T${nth}` })))
    expect(await writeAll(...edits)).toEqual({ kind: 'done', found: [] })
    expect(roundTrips).toHaveLength(1)
  })

  it('of 20 edits with the most parameters is within the limits of D1', async () => {
    const { d1, writeAll } = await populated()
    const articles = ids('w', 19).map((id) => article(id))
    await insert(d1, 'articles', ...articles)
    const known = edit(update('p01', { nickname: 'N' }), null, { type: 'people' })
    const adds = articles.map(({ article_no: id }) =>
      edit(contributors('add', String(id), ['p01']), 'ann', { ifMatch: ['0'], ifNoneMatch: ['x'] }),
    )
    expect(await writeAll(known, ...adds)).toMatchObject({ kind: 'done' })
  })

  it('reads what each create has made right after it, in the order of the creates', async () => {
    const { writeAll } = await populated()
    const outcome = await writeAll(
      edit(create('c', { handle: 'c' })),
      edit(create('d', { handle: 'd', title: 'D' })),
      edit(update('d', { title: 'Later' })),
    )
    expect(outcome).toMatchObject({
      kind: 'done',
      found: [{ records: [{ id: 'c' }] }, { records: [{ id: 'd', attributes: { title: 'D' } }] }],
    })
  })

  it.each<[string, Change]>([
    ['a create', create('c', {}, { tags: linked('t01') })],
    ['an update', update('a', { title: 'New' }, { contributors: [], tags: linked('t01') })],
  ])('%s whose last statement fails changes nothing, and is a failure', async (_, change) => {
    const { d1, write } = await populated()
    await d1
      .prepare(
        `CREATE TRIGGER t BEFORE INSERT ON article_tags BEGIN SELECT RAISE(ABORT, 'full'); END`,
      )
      .raw()
    const before = await dump(d1)
    try {
      await expect(write(change)).rejects.toMatchObject({ headers: { 'Retry-After': '1' } })
      expect(await dump(d1)).toEqual(before)
    } finally {
      await d1.prepare('DROP TRIGGER t').raw()
    }
  })

  it('stores the value, what it is compared by, JSON as text, and a secret in cipher only', async () => {
    const { d1, write, cipher } = await populated()
    const layout = { columns: 1, blocks: [] }
    await write(create('c', { title: 'ÄB', handle: 'ÄB', layout, notes: 'quite secret' }))
    const query = d1.prepare("SELECT * FROM articles WHERE article_no = 'c'")
    const row = (await d1.batch<Record<string, unknown>>([query]))[0]?.results[0]
    expect(row).toMatchObject({
      keeper: 'ann',
      title: 'ÄB',
      // Sorted by its letters; what is unique is told apart by its accents, too.
      title_fold: 'ab',
      handle_fold: 'äb',
      words: null,
      layout: JSON.stringify(layout),
    })
    expect(JSON.stringify(await dump(d1))).not.toContain('secret')
    expect(await cipher.decrypt(String(row?.notes), 'articles/c/notes')).toBe('quite secret')
    await write(update('c', { layout: {}, notes: null }))
    const [empty] = await d1.prepare("SELECT layout, notes FROM articles WHERE title = 'ÄB'").raw()
    expect(empty).toEqual([null, null])
  })
})

describe('A write that is refused', () => {
  const quotas = { owned: 2, members: 3 }
  const dangling = (relationship: string, id: string) =>
    ({ kind: 'dangling', relationship, id }) as const

  it.each<[string, Edit[], ...Fault[]]>([
    [
      'has no revision that it should have',
      [edit(remove('a'), 'ann', { ifMatch: ['x'], ifNoneMatch: '*' })],
      { kind: 'stale', condition: 'ifMatch' },
    ],
    [
      'has a revision that it should not have',
      [edit(remove('a'), 'ann', { ifMatch: ['0'], ifNoneMatch: ['x', '0'] })],
      { kind: 'stale', condition: 'ifNoneMatch' },
    ],
    [
      'leads nowhere',
      [edit(update('a', {}, { author: linked('p99'), tags: linked('t01', 't98', 't99') }))],
      dangling('author', 'p99'),
      dangling('tags', 't98'),
      dangling('tags', 't99'),
    ],
    [
      'deletes what too many members name',
      [edit(remove('p01'), null, { type: 'people', maxLinks: 0 })],
      { kind: 'linked', max: 0 },
    ],
  ])(
    'since an edit %s: changes nothing, not even for a moment, and names the edit',
    async (_, others, ...faults) => {
      const { d1, writeAll, roundTrips } = await populated(undefined, { quotas })
      await insert(d1, 'people', person('q01'))
      const [before, changes] = [await dump(d1), await changesOf(d1)]
      const first = edit(update('a', { title: 'Changed' }))
      const outcome = await writeAll(first, ...others, edit(update('x', {})))
      expect(outcome).toEqual({ kind: 'refused', at: others.length, faults })
      expect(await changesOf(d1)).toBe(changes)
      expect(await dump(d1)).toEqual(before)
      expect(roundTrips).toHaveLength(2)
    },
  )

  it('may have more members than a quota that was lowered: nothing comes in, everything else goes', async () => {
    const { d1, write } = await populated(undefined, { quotas })
    const people = ids('q', 5)
    await insert(d1, 'people', ...people.map((id) => person(id)))
    const rows = people.map((id) => ({ article: 'a', person: id, part: 'EDITOR' }))
    await insert(d1, 'contributions', ...rows)
    const full = refused({ kind: 'full', relationship: 'contributors', max: 3 })
    expect(await write(contributors('add', 'a', ['q01', 'p02']))).toEqual(full)
    expect(await write(contributors('add', 'a', ['q01', 'q05']))).toMatchObject({ kind: 'done' })
    expect(await write(contributors('remove', 'a', ['q01']))).toMatchObject({ kind: 'done' })
    expect(await write(contributors('update', 'a', ids('q', 4)))).toEqual(full)
    expect(await write(contributors('update', 'a', ids('q', 3)))).toMatchObject({ kind: 'done' })
  })
})
