import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/jsonapi/run/store.ts'
import { changesOf, contributors, create, edit, populated, update } from './changes.ts'
import { dump, ids, insert, person } from './second-domain/domain.ts'

/** The second domain with five more people, where ann owns at most three articles with at most three contributors each. */
async function bounded(around?: Parameters<typeof populated>[0]) {
  const domain = await populated(around, { quotas: { owned: 3, members: 3 }, validityMs: 400 })
  await insert(domain.d1, 'people', ...ids('q', 5).map((id) => person(id)))
  return domain
}

const fullOfArticles = { kind: 'full', most: 3 }
const fullOfContributors = { kind: 'full', relationship: 'contributors', most: 3 }
const editors = (...people: string[]) => people.map((id) => ({ id, meta: { part: 'EDITOR' } }))

describe('how many resources one person owns (contract, section 15)', () => {
  it('is bounded for each person by themselves, and a delete makes room again', async () => {
    const { d1, write, rows } = await bounded()
    expect(await write(create('c', { handle: 'c' }))).toMatchObject({ kind: 'done' })
    expect(await write(create('d', { handle: 'd' }))).toMatchObject({ kind: 'done' })
    const before = await dump(d1)
    const refused = create('e', { handle: 'e' }, { contributors: editors('p01') })
    expect(await write(refused)).toEqual(fullOfArticles)
    expect(await dump(d1)).toEqual(before)

    expect(await write(create('x', { handle: 'x' }), 'bob')).toMatchObject({ kind: 'done' })
    expect(await write({ kind: 'delete', id: 'a' })).toEqual({ kind: 'done' })
    expect(await write(refused)).toMatchObject({ kind: 'done' })
    expect(await rows("SELECT count(*) FROM articles WHERE keeper = 'ann'")).toEqual(['3'])
  })

  it('has room again for what an edit of the same transaction makes and another one deletes', async () => {
    const { store } = await bounded()
    const edits: [Edit, ...Edit[]] = [
      edit(create('c', { handle: 'c' })),
      edit({ kind: 'delete', id: 'c' }),
      edit(create('d', { handle: 'd' })),
      edit(create('e', { handle: 'e' })),
    ]
    expect(await store.write(edits)).toMatchObject({ kind: 'done' })
  })

  it('is judged after the targets of linkage', async () => {
    const { write } = await bounded()
    await write(create('c', { handle: 'c' }))
    await write(create('d', { handle: 'd' }))
    expect(await write(create('e', {}, { author: [{ id: 'p99' }] }))).toMatchObject({
      kind: 'dangling',
    })
  })

  it('counts no create twice whose answer was lost: the repeated one finds what it has made', async () => {
    let answers = 0
    const { write, rows } = await bounded(async (texts, run) => {
      await run()
      answers += texts.some((text) => text.startsWith('INSERT INTO "articles"')) ? 1 : 0
      if (answers === 3) {
        answers += 1
        throw new Error('D1_ERROR: Network connection lost.')
      }
    })
    await write(create('c', { handle: 'c' }))
    await write({ kind: 'delete', id: 'c' })
    await write(create('c', { handle: 'c' }))
    expect(await write(create('d', { handle: 'd' }))).toMatchObject({
      kind: 'done',
      found: { records: [{ id: 'd' }] },
    })
    expect(await rows("SELECT count(*) FROM articles WHERE keeper = 'ann'")).toEqual(['3'])
  })
})

describe('how many members a relationship has (contract, section 15)', () => {
  it('is bounded for each resource by itself', async () => {
    const { d1, write, rows } = await bounded()
    await write(contributors('add', 'b', ['q01', 'q02', 'q03']), 'bob')
    expect(await write(contributors('add', 'a', ['p02', 'p03']))).toEqual({ kind: 'done' })
    const before = await dump(d1)
    expect(await write(contributors('add', 'a', ['q01']))).toEqual(fullOfContributors)
    expect(await write(contributors('add', 'a', ['p01', 'q01']))).toEqual(fullOfContributors)
    expect(await dump(d1)).toEqual(before)
    expect(await write(contributors('remove', 'a', ['p01']))).toEqual({ kind: 'done' })
    expect(await write(contributors('add', 'a', ['q01', 'q01', 'p02']))).toEqual({ kind: 'done' })
    expect(await rows("SELECT person FROM contributions WHERE article = 'a'")).toEqual([
      'p02',
      'p03',
      'q01',
    ])
  })

  it('leaves members that are there already where they are, with the meta they are sent with', async () => {
    const { write, rows } = await bounded()
    await write(contributors('add', 'a', ['p02', 'p03']))
    const again = contributors('add', 'a', ['p01', 'p02', 'p03'], 'REVIEWER')
    expect(await write(again)).toEqual({ kind: 'done' })
    expect(await rows('SELECT DISTINCT part FROM contributions')).toEqual(['REVIEWER'])
  })

  it('may be over the bound where the bound was lowered: nothing comes in, everything else goes', async () => {
    const { d1, write } = await bounded()
    const people = ids('q', 5)
    await insert(
      d1,
      'contributions',
      ...people.map((id) => ({ article: 'a', person: id, part: 'EDITOR' })),
    )
    expect(await write(contributors('add', 'a', ['p02']))).toEqual(fullOfContributors)
    expect(await write(contributors('add', 'a', ['q01', 'q05']))).toEqual({ kind: 'done' })
    expect(await write(contributors('remove', 'a', ['q01']))).toEqual({ kind: 'done' })
    expect(await write(contributors('replace', 'a', ['p02', 'p03']))).toEqual({ kind: 'done' })
  })

  it.each([
    ['a replacement', contributors('replace', 'a', ['p02', 'p03', 'q01', 'q02'])],
    [
      'an update',
      update('a', { title: 'T' }, { contributors: editors('p01', 'p02', 'p03', 'q01') }),
    ],
    ['a create', create('c', {}, { tags: [], contributors: editors('p01', 'p02', 'p03', 'q01') })],
  ])('is bounded for %s by what it sends, and nothing of it is written', async (_, change) => {
    const { d1, write } = await bounded()
    const before = await dump(d1)
    expect(await write(change)).toEqual(fullOfContributors)
    expect(await dump(d1)).toEqual(before)
  })

  it.each([
    ['a replacement', contributors('replace', 'a', ['p01', 'p02', 'p03', 'p03'])],
    ['an update', update('a', {}, { contributors: editors('p01', 'p02', 'p03', 'p03') })],
    ['a create', create('c', {}, { contributors: editors('p01', 'p02', 'p03', 'p03') })],
  ])('counts what %s sends twice once', async (_, change) => {
    const { write } = await bounded()
    expect(await write(change)).toMatchObject({ kind: 'done' })
  })

  it('has room again for what an edit of the same transaction adds and another one deletes', async () => {
    const { store } = await bounded()
    const edits: [Edit, ...Edit[]] = [
      edit(contributors('add', 'a', ['p02', 'p03'])),
      { ...edit({ kind: 'delete', id: 'p02' }, null), type: 'people' },
      edit(contributors('add', 'a', ['q01'])),
    ]
    expect(await store.write(edits)).toMatchObject({ kind: 'done' })
  })

  it('is judged before a replacement removes anything', async () => {
    const { d1, write } = await bounded()
    await insert(
      d1,
      'contributions',
      ...ids('q', 5).map((id) => ({ article: 'a', person: id, part: 'EDITOR' })),
    )
    const before = await changesOf(d1)
    const change = contributors('replace', 'a', ['p02', 'p03', 'q01', 'q02'])
    expect(await write(change)).toEqual(fullOfContributors)
    // The claim of the article.
    expect((await changesOf(d1)) - before).toBeLessThanOrEqual(1)
  })

  it.each([
    ['a replacement', contributors('replace', 'a', ['q01', 'q02', 'q03'])],
    ['an update', update('a', {}, { contributors: editors('q01', 'q02', 'q03') })],
  ])('lets %s take the place of as many others', async (_, change) => {
    const { write } = await bounded()
    await write(contributors('add', 'a', ['p02', 'p03']))
    expect(await write(change)).toEqual({ kind: 'done' })
  })

  it.each([
    ['x', 'ann', { kind: 'absent' }],
    ['b', 'ann', { kind: 'foreign' }],
  ])('is judged after the resource %s itself', async (id, owner, outcome) => {
    const { write } = await bounded()
    const change = contributors('add', id, ['p01', 'p02', 'p03', 'q01'])
    expect(await write(change, owner)).toEqual(outcome)
  })

  it('is judged after the targets', async () => {
    const { write } = await bounded()
    const change = contributors('add', 'a', ['p02', 'p03', 'q01', 'q99'])
    expect(await write(change)).toEqual({
      kind: 'dangling',
      targets: [{ relationship: 'contributors', id: 'q99' }],
    })
  })

  it('binds whoever may write without owning the resource, too', async () => {
    const { write } = await bounded()
    const change = contributors('add', 'a', ['p02', 'p03', 'q01'])
    expect(await write(change, null)).toEqual(fullOfContributors)
  })

  it('holds when ten additions come at once', async () => {
    const { write, rows } = await bounded()
    const people = ids('q', 5)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        write(contributors('add', 'a', [people[index % 5] ?? ''])),
      ),
    )
    expect(await rows("SELECT count(*) FROM contributions WHERE article = 'a'")).toEqual(['3'])
    expect(outcomes.filter(({ kind }) => kind === 'full')).toHaveLength(6)
  })
})
