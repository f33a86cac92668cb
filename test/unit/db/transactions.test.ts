import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/db/statement.ts'
import type { Change, Edit } from '../../../src/jsonapi/run/store.ts'
import { changesOf, contributors, create, edit, populated, update } from './changes.ts'
import type { Around } from './d1/d1.ts'
import { dump, openDomain } from './second-domain/domain.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const remove = (id: string): Change => ({ kind: 'delete', id })
const removePerson = (id: string): Edit => ({ ...edit(remove(id), null), type: 'people' })
const linked = (...ids: string[]) => ids.map((id) => ({ id }))

/** The domain, and its store as it is given several edits at once. */
async function opened(around?: Around) {
  const domain = await populated(around, { owned: 3, members: 3 })
  const writeAll = (first: Edit, ...rest: Edit[]) => domain.store.write([first, ...rest])
  return { ...domain, writeAll }
}

describe('several edits are one transaction (contract, section 13)', () => {
  it.each([2, 20])('of %d edits, in one round trip', async (count) => {
    const { writeAll, roundTrips } = await opened()
    const edits = Array.from({ length: count }, (_, n) => edit(update('a', { title: `T${n}` })))
    expect(await writeAll(edits[0] as Edit, ...edits.slice(1))).toEqual({ kind: 'done', found: [] })
    expect(roundTrips).toHaveLength(1)
  })

  it('reads what each create has made right after it, in the order of the creates', async () => {
    const { writeAll } = await opened()
    const outcome = await writeAll(
      edit(create('c', { handle: 'c' })),
      edit(remove('a')),
      edit(create('d', { handle: 'd', title: 'D' })),
      edit(update('d', { title: 'Later' })),
    )
    expect(outcome).toMatchObject({
      kind: 'done',
      found: [{ records: [{ id: 'c' }] }, { records: [{ id: 'd', attributes: { title: 'D' } }] }],
    })
  })

  it('lets later edits find what earlier ones have left', async () => {
    const { writeAll, rows } = await opened()
    const outcome = await writeAll(
      edit(remove('a')),
      edit(create('c', { handle: 'handle-a' }, { contributors: [] })),
      edit(contributors('add', 'c', ['p01', 'p02', 'p03'])),
      edit(contributors('remove', 'c', ['p01'])),
      removePerson('p01'),
    )
    expect(outcome).toMatchObject({ kind: 'done' })
    expect(await rows('SELECT article, person FROM contributions')).toEqual(['c p02', 'c p03'])
  })

  it('clears what leads to a resource that one of them deletes', async () => {
    const { writeAll, rows } = await opened()
    const outcome = await writeAll(
      edit(update('a', {}, { author: linked('p02') })),
      removePerson('p02'),
      removePerson('p01'),
    )
    expect(outcome).toMatchObject({ kind: 'done' })
    expect(await rows('SELECT count(*) FROM articles WHERE author IS NULL')).toEqual(['2'])
  })

  it('of creates alone is judged once', async () => {
    const domain = await openDomain()
    const count = 20
    const creates = Array.from({ length: count }, (_, n) =>
      edit(create(`c${n}`, { handle: `h${n}` })),
    )
    const session = domain.store.begin({
      writes: true,
    })
    const outcome = await session.write(creates as [Edit, ...Edit[]])
    expect(outcome.kind).toBe('done')
    const probes = domain.roundTrips.flat().filter((text) => text.endsWith('AS probe'))
    expect(probes).toHaveLength(count)
  })

  it.each([
    ['absent', "DELETE FROM articles WHERE article_no = 'b'", update('b', {}), { kind: 'absent' }],
    [
      'taken',
      "UPDATE articles SET handle_fold = 'new' WHERE article_no = 'b'",
      create('c', { handle: 'New' }),
      { kind: 'taken', attributes: ['handle'] },
    ],
  ])(
    'undoes a delete that changes more than the edits tell, where a later one is %s by then',
    async (_, also, change, refusal) => {
      const { d1, writeAll } = await opened()
      await d1.prepare(`CREATE TRIGGER also AFTER DELETE ON articles BEGIN ${also}; END`).raw()
      try {
        const before = await dump(d1)
        expect(await writeAll(edit(remove('a')), edit(change, null))).toEqual({ ...refusal, at: 1 })
        expect(await dump(d1)).toEqual(before)
      } finally {
        await d1.prepare('DROP TRIGGER also').raw()
      }
    },
  )

  it('is refused where an earlier one has changed the revision that a later one expects', async () => {
    const { d1, writeAll } = await opened()
    await writeAll(edit(update('a', {}), 'ann', { revision: 'known' }))
    const before = await dump(d1)
    const conditional = edit(update('a', { title: 'T' }), 'ann', { expected: ['known'] })
    expect(await writeAll(edit(update('a', {})), conditional)).toEqual({ kind: 'stale', at: 1 })
    expect(await dump(d1)).toEqual(before)
  })

  const first = () => edit(update('a', { title: 'Changed' }))

  it.each<[string, Edit[], object]>([
    ['absent', [edit(update('x', {}))], { kind: 'absent', at: 1 }],
    [
      'absent since an earlier one',
      [edit(remove('a')), edit(update('a', {}))],
      { kind: 'absent', at: 2 },
    ],
    ['foreign', [edit(remove('b'))], { kind: 'foreign', at: 1 }],
    [
      'dangling',
      [edit(update('a', {}, { author: linked('p99'), tags: linked('t01', 't98', 't99') }))],
      {
        kind: 'dangling',
        at: 1,
        targets: [
          { relationship: 'author', id: 'p99' },
          { relationship: 'tags', id: 't98' },
          { relationship: 'tags', id: 't99' },
        ],
      },
    ],
    [
      'dangling since an earlier one',
      [removePerson('p02'), edit(contributors('add', 'a', ['p02']))],
      { kind: 'dangling', at: 2, targets: [{ relationship: 'contributors', id: 'p02' }] },
    ],
    [
      'taken',
      [edit(create('c', { handle: 'handle-b' }))],
      { kind: 'taken', at: 1, attributes: ['handle'] },
    ],
    [
      'taken by an earlier one',
      [edit(create('c', { handle: 'New' })), edit(create('d', { handle: 'nEW' }))],
      { kind: 'taken', at: 2, attributes: ['handle'] },
    ],
    [
      'full',
      [
        edit(create('c', { handle: 'c' })),
        edit(create('d', { handle: 'd' })),
        edit(create('e', { handle: 'e' })),
      ],
      { kind: 'full', at: 3, most: 3 },
    ],
    [
      'full of members',
      [edit(contributors('add', 'a', ['p02', 'p03'])), edit(contributors('add', 'a', ['q01']))],
      { kind: 'full', at: 2, relationship: 'contributors', most: 3 },
    ],
    ['stale', [{ ...edit(update('a', {})), expected: ['x'] }], { kind: 'stale', at: 1 }],
  ])(
    'changes nothing, not even for a moment, where one is %s, and names it',
    async (_, others, refusal) => {
      const { d1, writeAll } = await opened()
      await d1
        .prepare("INSERT INTO people (person_no, nickname, born) VALUES ('q01', 'q', 1)")
        .raw()
      const [before, changes] = [await dump(d1), await changesOf(d1)]
      expect(await writeAll(first(), ...others, edit(update('x', {})))).toEqual(refusal)
      expect(await changesOf(d1)).toBe(changes)
      expect(await dump(d1)).toEqual(before)
    },
  )
})

describe('a transaction whose answer is lost (contract, section 14)', () => {
  async function losing(when: 'before' | 'after', times = 1) {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    let trips = 0
    return opened(async (_, run) => {
      trips += 1
      const isLost = trips <= times
      if (!isLost || when === 'after') {
        await run()
      }
      if (isLost) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
    })
  }

  it.each([
    ['before', 1],
    ['after', 1],
    ['before', 2],
    ['after', 2],
  ] as const)('%s it was committed, %d times, is done once', async (when, times) => {
    const { writeAll, rows } = await losing(when, times)
    const outcome = await writeAll(
      edit(create('c', { handle: 'c' })),
      edit(remove('a')),
      edit(contributors('add', 'c', ['p02'])),
    )
    expect(outcome).toMatchObject({ kind: 'done', found: [{ records: [{ id: 'c' }] }] })
    expect(await rows('SELECT article_no FROM articles')).toEqual(['b', 'c'])
    expect(await rows('SELECT value FROM counters')).toEqual(['2'])
  })

  it('of deletes alone is done where all of them are gone', async () => {
    const { writeAll } = await losing('after')
    expect(await writeAll(removePerson('p02'), removePerson('p03'))).toMatchObject({ kind: 'done' })
  })

  it('is done where it changes what it deletes, which leaves no trace of the change', async () => {
    const { writeAll } = await losing('after')
    expect(await writeAll(edit(update('a', { title: 'T' })), edit(remove('a')))).toMatchObject({
      kind: 'done',
    })
  })

  it('is done where it deletes what it has created, beside others that are gone', async () => {
    const { writeAll, rows } = await losing('after')
    const created = edit(create('c', { handle: 'c' }))
    expect(await writeAll(created, edit(remove('c')), edit(remove('a')))).toMatchObject({
      kind: 'done',
      found: [{ records: [] }],
    })
    expect(await rows('SELECT article_no FROM articles')).toEqual(['b'])
  })

  it('is refused for what it creates and deletes, which shows nothing of what was done', async () => {
    const { writeAll } = await losing('before')
    const taken = edit(create('c', { handle: 'handle-b' }))
    expect(await writeAll(taken, edit(remove('c')))).toMatchObject({ kind: 'taken', at: 0 })
  })

  it('and was not committed is refused for what it would have been refused for', async () => {
    const { writeAll } = await losing('before')
    const taken = edit(create('c', { handle: 'handle-b' }))
    expect(await writeAll(edit(remove('a')), taken)).toMatchObject({ kind: 'taken', at: 1 })
  })

  /** Has somebody else write in the pause before the second attempt. */
  function meanwhile(d1: Database, sql: string): void {
    const raw = d1.prepare.bind(d1)
    const timer = setTimeout
    // The pause is shorter than a second, and the deadlines of D1 are longer.
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((then: () => void, ms: number) => {
      if (ms > 1_000) {
        return timer(then, ms)
      }
      raw(sql).raw().then(then)
      return 0
    }) as never)
  }

  it('is known by what it has added, though somebody has changed that since', async () => {
    const { writeAll, d1 } = await losing('after')
    meanwhile(d1, "UPDATE articles SET edition = 'theirs' WHERE article_no = 'c'")
    const outcome = await writeAll(edit(create('c', { handle: 'c' })), edit(remove('a')))
    expect(outcome).toMatchObject({ kind: 'done', found: [{ records: [{ id: 'c' }] }] })
  })

  it.each<[what: string, ...edits: [Edit, Edit]]>([
    ['deletes', edit(remove('a')), edit(update('b', { title: 'T' }), 'bob')],
    ['links and deletes', edit(contributors('add', 'b', ['p02']), 'bob'), removePerson('p02')],
  ])('has an unknown outcome where it may itself have deleted what it %s', async (_, ...edits) => {
    const { writeAll, d1 } = await losing('after')
    meanwhile(d1, "UPDATE articles SET edition = 'theirs' WHERE article_no = 'b'")
    await expect(writeAll(...edits)).rejects.toMatchObject({
      problems: [
        { code: 'INTERNAL_SERVER_ERROR', detail: expect.stringContaining('is not known') },
      ],
    })
  })
})
