import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { changesOf, contributors, populated, update } from './changes.ts'
import { ids, insert, person } from './second-domain/domain.ts'

/** The second domain, where article `a` has so many contributors. */
async function crowded(members: number) {
  const domain = await populated()
  const crowd = ids('q', 40)
  await insert(domain.d1, 'people', ...crowd.map((id) => person(id)))
  await domain.write(contributors('replace', 'a', crowd.slice(0, members)))
  return { ...domain, crowd }
}

const editors = (...people: string[]) => people.map((id) => ({ id, meta: { part: 'EDITOR' } }))
const one = { contributors: editors('p01') }

describe('a complete replacement through the resource', () => {
  it('removes every other member, however many there are', async () => {
    const { write, rows, crowd } = await crowded(40)
    const outcome = await write(update('a', {}, { ...one, tags: [{ id: 't01' }] }))
    expect(outcome).toMatchObject({ kind: 'done' })
    expect(crowd).toHaveLength(40)
    expect(await rows("SELECT person FROM contributions WHERE article = 'a'")).toEqual(['p01'])
    expect(await rows("SELECT tag FROM article_tags WHERE article = 'a'")).toEqual(['t01'])
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
