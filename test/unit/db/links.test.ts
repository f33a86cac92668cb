import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/jsonapi/run/store.ts'
import { changesOf, contributors, edit, populated, update } from './changes.ts'
import { ids, insertAll, person } from './second-domain/domain.ts'

describe('a delete for which only so many members may name the resource (contract, section 13)', () => {
  const bounded = (id: string, maxLinks: number): Edit => ({
    ...edit({ kind: 'delete', id, maxLinks }, null),
    type: 'people',
  })

  /** The domain, where so many people follow `p02`, whom an article names, too. */
  async function followed(followers: number) {
    const domain = await populated()
    const writeAll = (first: Edit, ...rest: Edit[]) => domain.store.write([first, ...rest])
    const crowd = ids('q', followers)
    await insertAll(domain.d1, [
      ['people', crowd.map((id) => person(id))],
      ['follows', crowd.map((id) => ({ follower: id, followed: 'p02' }))],
      ['contributions', [{ article: 'b', person: 'p02', part: 'EDITOR' }]],
    ])
    return { ...domain, writeAll }
  }

  it.each([
    ['alone', []],
    ['behind others', [edit(update('a', { title: 'T' }))]],
  ])('is refused %s where more do, and changes nothing', async (_, others) => {
    const { d1, writeAll } = await followed(30)
    const changes = await changesOf(d1)
    const [first, ...rest] = [...others, bounded('p02', 30)]
    expect(await writeAll(first as Edit, ...rest)).toEqual({
      kind: 'linked',
      at: others.length,
      most: 30,
    })
    expect(await changesOf(d1)).toBe(changes)
  })

  it.each([
    ['alone', []],
    ['behind others', [edit(update('a', { title: 'T' }))]],
  ])('is done %s where no more do', async (_, others) => {
    const { writeAll, rows } = await followed(30)
    const [first, ...rest] = [...others, bounded('p02', 31)]
    expect(await writeAll(first as Edit, ...rest)).toMatchObject({ kind: 'done' })
    expect(await rows("SELECT 1 FROM follows WHERE followed = 'p02'")).toEqual([])
  })

  it('counts what names the resource at the beginning, and not what earlier edits add', async () => {
    const { writeAll } = await followed(30)
    const added = edit(contributors('add', 'a', ['p02']))
    expect(await writeAll(added, bounded('p02', 31))).toMatchObject({ kind: 'done' })
  })

  it('is refused first for what comes first: who owns it, and whether it is there', async () => {
    const { writeAll } = await followed(1)
    expect(await writeAll(bounded('x', 0))).toEqual({ kind: 'absent', at: 0 })
  })
})
