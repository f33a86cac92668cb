import { describe, expect, it } from 'vitest'
import type { IdempotencyKey } from '../../../src/jsonapi/run/idempotency.ts'
import type { Change, Edit } from '../../../src/jsonapi/run/store.ts'
import { create, edit, populated, update } from './changes.ts'
import type { Around } from './d1/d1.ts'
import { dump } from './second-domain/domain.ts'

const key: IdempotencyKey = {
  name: 'k1',
  fingerprint: 'first',
  isSame: async (other) => other === 'first',
}
const remove = (id: string): Change => ({ kind: 'delete', id })
const article = (id: string) => edit(create(id, { handle: `handle-of-${id}` }))
const stored = 'SELECT name, fingerprint, created FROM idempotency_keys'

/** The domain, and its store as it is given several edits with one key. */
async function opened(around?: Around) {
  const domain = await populated(around, { owned: 30, members: 3 })
  const writeAll = (first: Edit, ...rest: Edit[]) => domain.store.write([first, ...rest], key)
  return { ...domain, writeAll }
}

describe('several edits with a key (contract, sections 12 and 13)', () => {
  it('are stored with the ids of what they create, in one round trip', async () => {
    const { writeAll, rows, roundTrips } = await opened()
    const outcome = await writeAll(article('c'), edit(update('a', { title: 'T' })), article('d'))
    expect(outcome).toMatchObject({
      kind: 'done',
      found: [{ records: [{ id: 'c' }] }, { records: [{ id: 'd' }] }],
    })
    expect(roundTrips).toHaveLength(1)
    expect(await rows(stored)).toEqual(['k1 first c,d'])
  })

  it.each([0, 1, 20])('tell what a used key has created: %d resources', async (count) => {
    const { d1, writeAll, roundTrips } = await opened()
    const ids = Array.from({ length: count }, (_, n) => `0199a0b0-0000-7000-8000-${1000 + n}`)
    await writeAll(edit(update('a', { title: 'T' })), ...ids.map(article))
    const before = await dump(d1)
    expect(await writeAll(article('x'), edit(remove('a')))).toEqual({
      kind: 'used',
      fingerprint: 'first',
      created: ids,
    })
    expect(roundTrips).toHaveLength(2)
    expect(await dump(d1)).toEqual(before)
  })

  it('are judged by their key before anything else: what they write, its owner, its targets', async () => {
    const { writeAll } = await opened()
    await writeAll(article('c'), edit(remove('a')))
    for (const wrong of [update('a', {}), update('b', {}), create('a', { handle: 'handle-b' })]) {
      expect(await writeAll(edit(wrong))).toMatchObject({ kind: 'used', created: ['c'] })
    }
  })

  it.each<[string, Edit[], kind: string]>([
    ['one that is not there', [edit(update('x', { title: 'T' }))], 'absent'],
    ['one of somebody else', [edit(remove('b'))], 'foreign'],
    ['a value that is taken', [edit(create('c', { handle: 'handle-a' }))], 'taken'],
    ['several, the last of which is not there', [article('c'), edit(remove('x'))], 'absent'],
  ])('store nothing when they are refused: %s', async (_, [first, ...rest], kind) => {
    const { d1, writeAll } = await opened()
    const before = await dump(d1)
    expect(await writeAll(first as Edit, ...rest)).toMatchObject({ kind })
    expect(await dump(d1)).toEqual(before)
    expect(await writeAll(article('c'))).toMatchObject({ kind: 'done' })
  })

  it('meet their own key where the answer to their commit was lost, and are done once', async () => {
    let trips = 0
    const { writeAll, rows } = await opened(async (_, run) => {
      await run()
      if (++trips === 1) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
    })
    const outcome = await writeAll(article('c'), edit(remove('a')))
    expect(outcome).toMatchObject({ kind: 'used', created: ['c'] })
    expect(await rows('SELECT article_no FROM articles ORDER BY 1')).toEqual(['b', 'c'])
  })

  it('are not taken for done where the first attempt was undone and the resource is gone since', async () => {
    let trips = 0
    const { d1, writeAll, rows } = await opened(async (_, run) => {
      if (++trips === 1) {
        await d1.prepare("DELETE FROM articles WHERE article_no = 'a'").raw()
        throw new Error('D1_ERROR: Network connection lost.')
      }
      await run()
    })
    expect(await writeAll(edit(remove('a')))).toEqual({ kind: 'absent', at: 0 })
    expect(await rows(stored)).toEqual([])
  })
})
