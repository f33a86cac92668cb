import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Change, Edit } from '../../../src/jsonapi/run/store.ts'
import { create, edit, populated, update } from './changes.ts'
import type { Around } from './d1/d1.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const remove = (id: string): Change => ({ kind: 'delete', id })
const article = (id: string) => create(id, { handle: `handle-of-${id}` })

/** The domain with two articles, `a` of ann and `b` of bob; a person may own three. */
async function opened(around?: Around) {
  const domain = await populated(around, { quotas: { owned: 3, members: 3 }, validityMs: 400 })
  return {
    ...domain,
    writeAll: (first: Edit, ...rest: Edit[]) => domain.store.write([first, ...rest]),
    /** What the counter says, after a look that there are so many articles. */
    counted: async () => {
      const sql =
        "SELECT value, (SELECT count(*) FROM articles) FROM counters WHERE name = 'articles'"
      const [[value, rows] = []] = await domain.d1.prepare(sql).raw()
      expect(value).toBe(rows)
      return value
    },
  }
}

describe('the counter of a type (contract, section 7: pagination.totalItems)', () => {
  it('goes up by one with a create and down by one with a delete, in one round trip each', async () => {
    const { write, counted, roundTrips } = await opened()
    expect(await counted()).toBe(2)
    await write(article('c'))
    expect(await counted()).toBe(3)
    await write(remove('c'))
    await write(remove('a'), 'ann', { expected: ['0'] })
    expect(await counted()).toBe(1)
    expect(roundTrips).toHaveLength(3)
  })

  it('stays as it is where an article changes', async () => {
    const { write, counted } = await opened()
    await write(update('a', { title: 'Other' }))
    expect(await counted()).toBe(2)
  })

  it('is not touched by the writes of a type without one', async () => {
    const { writeAll, roundTrips } = await opened()
    await writeAll({ ...edit(remove('p02'), null), type: 'people' })
    expect(roundTrips.flat().filter((text) => text.includes('counters'))).toEqual([])
  })

  it('counts what a transaction leaves, and nothing of one that is undone', async () => {
    const { writeAll, counted } = await opened()
    const passing = [edit(article('c')), edit(article('d')), edit(remove('c')), edit(remove('a'))]
    expect(await writeAll(edit(update('a', {})), ...passing)).toMatchObject({ kind: 'done' })
    expect(await counted()).toBe(2)
    const undone = await writeAll(edit(article('e')), edit(remove('d')), edit(update('x', {})))
    expect(undone).toMatchObject({ kind: 'absent', at: 2 })
    expect(await counted()).toBe(2)
  })

  it.each(['before', 'after'] as const)(
    'counts once what is sent again because the connection broke %s it was carried out',
    async (when) => {
      vi.spyOn(Math, 'random').mockReturnValue(0)
      let trips = 0
      const { write, writeAll, counted } = await opened(async (_, run) => {
        trips += 1
        const breaks = trips === 1
        if (!breaks || when === 'after') {
          await run()
        }
        if (breaks) {
          throw new Error('D1_ERROR: Network connection lost.')
        }
      })
      expect(await write(article('c'))).toMatchObject({ kind: 'done' })
      expect(await counted()).toBe(3)
      trips = 0
      expect(await write(remove('c'))).toMatchObject({ kind: 'done' })
      expect(await counted()).toBe(2)
      trips = 0
      const both = await writeAll(edit(article('d')), edit(article('e')), edit(remove('a')))
      expect(both).toMatchObject({ kind: 'done' })
      expect(await counted()).toBe(3)
    },
  )

  it('counts one of ten deletes at once, and each of the creates that are done', async () => {
    const { write, counted } = await opened()
    const removals = Array.from({ length: 10 }, () => write(remove('a')))
    const creates = Array.from({ length: 10 }, (_, index) => write(article(`c${index}`)))
    const gone = (await Promise.all(removals)).filter(({ kind }) => kind === 'done')
    const made = (await Promise.all(creates)).filter(({ kind }) => kind === 'done')
    expect(gone).toHaveLength(1)
    expect(made).toHaveLength(3)
    expect(await counted()).toBe(4)
  })
})
