import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { changesOf, contributors, create, populated, update } from './changes.ts'
import { dump, ids, insert, person } from './second-domain/domain.ts'

/** The second domain, where article `a` has so many contributors. */
async function crowded(members: number) {
  const domain = await populated()
  const crowd = ids('q', 40)
  await insert(domain.d1, 'people', ...crowd.map((id) => person(id)))
  await domain.write(contributors('replace', 'a', crowd.slice(0, members)))
  return { ...domain, crowd }
}

const editors = (...people: string[]) => people.map((id) => ({ id, meta: { part: 'EDITOR' } }))
const unshown = { kind: 'unshown', relationships: ['contributors'] }
const one = { contributors: editors('p01') }

describe('a complete replacement through the resource (contract, section 6)', () => {
  it('is done where as many members are stored as are shown, whatever is sent', async () => {
    const { write, rows, crowd } = await crowded(20)
    const all = update('a', {}, { contributors: editors(...crowd), tags: [{ id: 't01' }] })
    expect(await write(all)).toMatchObject({ kind: 'done' })
    expect(await rows("SELECT count(*) FROM contributions WHERE article = 'a'")).toEqual(['40'])
    expect(await rows("SELECT tag FROM article_tags WHERE article = 'a'")).toEqual(['t01'])
  })

  it.each<[what: string, change: Change]>([
    ['by fewer', update('a', {}, one)],
    ['by none', update('a', {}, { contributors: [] })],
    ['by all of them', update('a', {}, { contributors: editors(...ids('q', 21)) })],
    ['beside other changes', update('a', { title: 'T' }, { ...one, tags: [{ id: 't01' }] })],
    ['by one who is not there', update('a', {}, { contributors: editors('p99') })],
    ['beside a value that is taken', update('a', { handle: 'b' }, one)],
    ['beside a target that is not there', update('a', {}, { ...one, author: [{ id: 'p99' }] })],
  ])(
    'is refused where one more is stored, %s, before all else, and nothing is written',
    async (_, change) => {
      const { d1, write } = await crowded(21)
      await write(create('c', { handle: 'b' }))
      const before = await dump(d1)
      expect(await write(change)).toEqual(unshown)
      expect(await dump(d1)).toEqual(before)
    },
  )

  it('is refused after what is wrong with the resource itself', async () => {
    const { write } = await crowded(21)
    expect(await write(update('z', {}, one))).toEqual({ kind: 'absent' })
    expect(await write(update('a', {}, one), 'bob')).toEqual({ kind: 'foreign' })
  })

  it('is not refused for what else is changed, nor on the endpoint of the relationship', async () => {
    const { write } = await crowded(21)
    expect(await write(update('a', { title: 'T' }, { tags: [{ id: 't01' }] }))).toMatchObject({
      kind: 'done',
    })
    expect(await write(contributors('replace', 'a', ['p01']))).toMatchObject({ kind: 'done' })
    expect(await write(update('a', {}, one))).toMatchObject({ kind: 'done' })
  })

  it('is judged by the transaction that writes: of a member more and a replacement at once one comes first', async () => {
    const { write, rows } = await crowded(20)
    const outcomes = await Promise.all([
      write(contributors('add', 'a', ['p02'])),
      write(update('a', {}, one)),
    ])
    const [count] = await rows("SELECT count(*) FROM contributions WHERE article = 'a'")
    // If the addition comes first, there are 21 members and the replacement is refused. If the replacement comes first,
    // there is 1 member, and the other is added.
    expect([outcomes[1].kind, count]).toEqual(
      outcomes[1].kind === 'done' ? ['done', '2'] : ['unshown', '21'],
    )
  })

  it('takes one round trip and no statement more', async () => {
    const { write, roundTrips } = await crowded(1)
    const before = roundTrips.length
    await write(update('a', {}, { ...one, tags: [] }))
    expect(roundTrips.slice(before).map((texts) => texts.length)).toEqual([1 + 2 * 2])
  })
})

describe('a replacement that is refused', () => {
  const contributions = { contributors: editors('p01', 'p99') }

  it.each<[what: string, stored: number, change: Change]>([
    ['a target', 40, contributors('replace', 'a', ['p01', 'p99'])],
    ['a target, in an update', 20, update('a', {}, contributions)],
    [
      'a target of another relationship',
      20,
      update('a', {}, { contributors: [], tags: [{ id: 't01' }, { id: 't99' }] }),
    ],
  ])(
    'because %s is not there has removed no member before: it undoes no more than it was sent',
    async (_, stored, change) => {
      const { d1, write } = await crowded(stored)
      const before = await changesOf(d1)
      expect(await write(change)).toMatchObject({ kind: 'dangling' })
      // The claim of the resource, and at most two members.
      expect((await changesOf(d1)) - before).toBeLessThanOrEqual(3)
    },
  )
})
