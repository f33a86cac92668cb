import { describe, expect, it } from 'vitest'
import type { Change, Edit } from '../../../src/jsonapi/run/store.ts'
import { changesOf, contributors, create, edit, populated, update } from './changes.ts'
import type { Around } from './d1/d1.ts'
import { dump } from './second-domain/domain.ts'

const remove = (id: string): Change => ({ kind: 'delete', id })
const removePerson = (id: string): Edit => ({ ...edit(remove(id), null), type: 'people' })
const linked = (...ids: string[]) => ids.map((id) => ({ id }))

/** The domain, and its store as it is given several edits at once. */
async function opened(around?: Around) {
  const domain = await populated(around, { quotas: { owned: 3, members: 3 } })
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
