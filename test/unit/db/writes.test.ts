import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { contributors, create, populated, update } from './changes.ts'
import { dump } from './second-domain/domain.ts'

const links = (...ids: string[]) => ids.map((id) => ({ id }))
const editor = (id: string) => ({ id, meta: { part: 'EDITOR' } })
const remove = (id: string): Change => ({ kind: 'delete', id })

describe('a write happens whole or not at all (contract, section 2)', () => {
  it.each<[string, trigger: string, Change]>([
    [
      'a create',
      'INSERT ON article_tags',
      create(
        'c',
        {},
        { author: links('p01'), contributors: [editor('p02')], tags: links('t01', 't02') },
      ),
    ],
    [
      'an update',
      'INSERT ON article_tags',
      update(
        'a',
        { title: 'New', notes: 'new' },
        { author: [], contributors: [], tags: links('t01') },
      ),
    ],
    ['a replacement', 'INSERT ON contributions', contributors('replace', 'a', ['p02', 'p03'])],
    [
      'an addition',
      "INSERT ON contributions WHEN new.person = 'p03'",
      contributors('add', 'a', ['p02', 'p03']),
    ],
    ['a removal', 'DELETE ON contributions', contributors('remove', 'a', ['p01'])],
    ['a delete', 'DELETE ON contributions', remove('a')],
  ])('%s whose last statement fails changes nothing', async (_, trigger, change) => {
    const { d1, write } = await populated()
    await d1
      .prepare(`CREATE TRIGGER t BEFORE ${trigger} BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
      .raw()
    const before = await dump(d1)
    try {
      await expect(write(change)).rejects.toMatchObject({
        problems: [{ code: 'INTERNAL_SERVER_ERROR' }],
        headers: { 'Retry-After': '1' },
      })
      expect(await dump(d1)).toEqual(before)
    } finally {
      await d1.prepare('DROP TRIGGER t').raw()
    }
    expect(await write(change)).toMatchObject({ kind: 'done' })
    expect(await dump(d1)).not.toEqual(before)
  })
})

describe('the outcome of a write is judged by its own statements: absent, foreign, dangling, taken', () => {
  const nowhere = { author: links('p99'), tags: links('t01', 't98', 't99') }
  const targets = [
    { relationship: 'author', id: 'p99' },
    { relationship: 'tags', id: 't98' },
    { relationship: 'tags', id: 't99' },
  ]
  it.each<[Change, outcome: object, owner?: string | null]>([
    [update('x', { handle: 'handle-b' }, nowhere), { kind: 'absent' }],
    [update('b', { handle: 'handle-a' }, nowhere), { kind: 'foreign' }],
    [update('a', { handle: 'handle-b' }, nowhere), { kind: 'dangling', targets }],
    [update('a', { handle: 'HANDLE-B', title: 'T' }), { kind: 'taken', attributes: ['handle'] }],
    [update('a', { handle: 'HANDLE-A' }), { kind: 'done' }],
    [update('a', {}), { kind: 'done' }],
    [update('b', {}), { kind: 'done' }, null],
    [create('c', { handle: 'handle-a' }, nowhere), { kind: 'dangling', targets }],
    [create('c', { handle: 'handle-a' }), { kind: 'taken', attributes: ['handle'] }],
    [remove('x'), { kind: 'absent' }],
    [remove('b'), { kind: 'foreign' }],
    [remove('b'), { kind: 'done' }, null],
    [contributors('add', 'x', ['p99']), { kind: 'absent' }],
    [contributors('add', 'b', ['p99']), { kind: 'foreign' }],
    [
      contributors('add', 'a', ['p01', 'p99', 'p99']),
      { kind: 'dangling', targets: [{ relationship: 'contributors', id: 'p99' }] },
    ],
    [
      contributors('replace', 'a', ['p99']),
      { kind: 'dangling', targets: [{ relationship: 'contributors', id: 'p99' }] },
    ],
    [contributors('remove', 'a', ['p99']), { kind: 'done' }],
    [contributors('remove', 'b', ['p01']), { kind: 'foreign' }],
    [contributors('replace', 'a', []), { kind: 'done' }],
  ])('of %j is %j', async (change, outcome, owner = 'ann') => {
    const { d1, write } = await populated()
    const before = await dump(d1)
    const { kind, ...rest } = await write(change, owner)
    expect({ kind, ...(kind === 'done' ? {} : rest) }).toEqual(outcome)
    if (kind !== 'done') {
      expect(await dump(d1)).toEqual(before)
    }
  })

  it('and a refusal by a constraint that no request can cause is a failure', async () => {
    const { d1, write } = await populated()
    const before = await dump(d1)
    await expect(write(update('a', { words: 13 }))).rejects.toThrow('INTERNAL_SERVER_ERROR')
    await expect(write(create('a'))).rejects.toThrow('INTERNAL_SERVER_ERROR')
    expect(await dump(d1)).toEqual(before)
  })
})

describe('what is stored', () => {
  it('is the value, what it is compared by, JSON as text, and a secret in cipher only', async () => {
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
  })

  it.each([null, {}])('is nothing for an attribute that holds nothing: %j', async (layout) => {
    const { write, rows } = await populated()
    await write(update('a', { layout, notes: null }))
    expect(await rows("SELECT layout, notes FROM articles WHERE article_no = 'a'")).toEqual([' '])
  })
})

describe('writes at the same time', () => {
  const race = <Result>(run: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 10 }, (_, index) => run(index)))

  it('of one unique value: one is done, the others find it taken', async () => {
    const { write } = await populated()
    const outcomes = await race((index) => write(create(`c${index}`)))
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', ...Array(9).fill('taken')])
  })

  it('of one member: it is there once', async () => {
    const { write, rows } = await populated()
    const outcomes = await race(() => write(contributors('add', 'a', ['p02'])))
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['done']))
    expect(await rows('SELECT person FROM contributions')).toEqual(['p01', 'p02'])
  })

  it('of an update and a delete: the one that comes second finds nothing', async () => {
    const { write, rows } = await populated()
    const outcomes = await race((index) =>
      write(
        index === 5 ? remove('a') : update('a', { title: `T${index}` }, { tags: links('t01') }),
      ),
    )
    const kinds = outcomes.map(({ kind }) => kind)
    expect(kinds).toEqual([...Array(6).fill('done'), ...Array(4).fill('absent')])
    expect(await rows('SELECT * FROM article_tags')).toEqual([])
  })
})
