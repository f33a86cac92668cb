import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/db/engine.ts'
import { keyLifetime, removeOldKeys } from '../../../src/db/keys.ts'
import type { IdempotencyKey } from '../../../src/jsonapi/idempotency.ts'
import type { Change, Edit } from '../../../src/jsonapi/run/store.ts'
import { create, edit, populated, update } from './changes.ts'
import type { Around, Database } from './d1/d1.ts'
import { never } from './hanging.ts'
import { dump, insert, openDomain } from './second-domain/domain.ts'

/** A key, with the fingerprint of its request. */
const keyOf = (name: string, fingerprint = 'first'): IdempotencyKey => ({
  name,
  fingerprint,
  isSame: async (other) => other === fingerprint,
})

/** An article like others but for its id and what must be unique. */
const article = (id: string) => create(id, { handle: `handle-of-${id}` })
const remove = (id: string): Change => ({ kind: 'delete', id })

const count = 'SELECT count(*) FROM articles'
const stored = 'SELECT name, fingerprint, created FROM idempotency_keys ORDER BY name'

/** The domain, and its store as it is given several edits with one key. */
async function opened(around?: Around) {
  const domain = await populated(around, { quotas: { owned: 30, members: 3 } })
  const writeAll = (first: Edit, ...rest: Edit[]) =>
    domain.store.write([first, ...rest], keyOf('k1'))
  return { ...domain, writeAll }
}

describe('several edits with a key (contract, sections 12 and 13)', () => {
  it('are stored with the ids of what they create, in one round trip', async () => {
    const { writeAll, rows, roundTrips } = await opened()
    const outcome = await writeAll(
      edit(article('c')),
      edit(update('a', { title: 'T' })),
      edit(article('d')),
    )
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
    await writeAll(edit(update('a', { title: 'T' })), ...ids.map((id) => edit(article(id))))
    const before = await dump(d1)
    expect(await writeAll(edit(article('x')), edit(remove('a')))).toEqual({
      kind: 'used',
      fingerprint: 'first',
      created: ids,
    })
    expect(roundTrips).toHaveLength(3)
    expect(await dump(d1)).toEqual(before)
  })

  it('are judged by their key before anything else: what they write, its owner, its targets', async () => {
    const { writeAll } = await opened()
    await writeAll(edit(article('c')), edit(remove('a')))
    for (const wrong of [update('a', {}), update('b', {}), create('a', { handle: 'handle-b' })]) {
      expect(await writeAll(edit(wrong))).toMatchObject({ kind: 'used', created: ['c'] })
    }
  })

  it.each<[string, Edit[], kind: string]>([
    ['one that is not there', [edit(update('x', { title: 'T' }))], 'absent'],
    ['one of somebody else', [edit(remove('b'))], 'foreign'],
    ['a value that is taken', [edit(create('c', { handle: 'handle-a' }))], 'taken'],
    ['several, the last of which is not there', [edit(article('c')), edit(remove('x'))], 'absent'],
  ])('store nothing when they are refused: %s', async (_, [first, ...rest], kind) => {
    const { d1, writeAll } = await opened()
    const before = await dump(d1)
    expect(await writeAll(first as Edit, ...rest)).toMatchObject({ kind })
    expect(await dump(d1)).toEqual(before)
    expect(await writeAll(edit(article('c')))).toMatchObject({ kind: 'done' })
  })

  it('meet their own key where the answer to their commit was lost, and are done once', async () => {
    let trips = 0
    const { writeAll, rows } = await opened(async (_, run) => {
      await run()
      if (++trips === 1) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
    })
    const outcome = await writeAll(edit(article('c')), edit(remove('a')))
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

describe('a create with a key (contract, section 12)', () => {
  it('has nothing to do with a create under another key, or under none', async () => {
    const { write, rows } = await populated()
    await write(article('c'), 'ann', { key: keyOf('k1') })
    await write(article('d'), 'ann', { key: keyOf('k2') })
    await write(article('e'))
    expect(await rows(count)).toEqual(['5'])
  })

  it('is done once when it is sent ten times at once', async () => {
    const { write, rows } = await populated()
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, nth) =>
        write(article(`c${nth}`), 'ann', { key: keyOf('k1') }),
      ),
    )
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    const used = outcomes.flatMap((outcome) => (outcome.kind === 'used' ? outcome.created : []))
    expect(used).toHaveLength(9)
    const [id] = new Set(used)
    expect(await rows(`${count} WHERE article_no = '${id}'`)).toEqual(['1'])
    expect(await rows(count)).toEqual(['3'])
  })

  it.each([
    ['used when it is a millisecond younger than 24 hours', 1, 'used', 'k1 first c'],
    ['absent when it is 24 hours old, and its row is replaced', 0, 'done', 'k1 second d'],
  ])('counts a key as %s', async (_, left, kind, row) => {
    const { d1, write, rows } = await populated()
    const now = Date.UTC(2026, 10, 21)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - keyLifetime + left)
    await write(article('c'), 'ann', { key: keyOf('k1', 'first') })
    clock.mockReturnValue(now)
    expect(await write(article('d'), 'ann', { key: keyOf('k1', 'second') })).toMatchObject({ kind })
    clock.mockRestore()
    expect(await rows(stored)).toEqual([row])
    const at = kind === 'done' ? now : now - keyLifetime + left
    expect(await d1.prepare('SELECT at FROM idempotency_keys').raw()).toEqual([[at]])
  })
})

const connecting = (db: Database, deadlineMs: number) => {
  const database = openDatabase({ DB: db as D1Database }, { deadlineMs, replicated: false })
  return () => database.connect({ writes: true })
}

/** A database with keys of these ages, in milliseconds past 24 hours; their names are their ages. */
async function withKeys(...ages: readonly number[]) {
  const domain = await openDomain()
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  const rows = ages.map((age) => ({
    name: String(age),
    fingerprint: 'f',
    created: 'a',
    at: now - keyLifetime - age,
  }))
  await insert(domain.d1, 'idempotency_keys', ...rows)
  const { db, d1, roundTrips } = domain
  return {
    d1,
    roundTrips,
    remove: (bounds?: { steps: number; keys: number }) =>
      removeOldKeys(connecting(db, 5_000), bounds),
    left: async () =>
      (await d1.prepare('SELECT name FROM idempotency_keys ORDER BY at').raw()).flat(),
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the scheduled removal of keys (contract, section 12)', () => {
  it('removes those of 24 hours and more, and no others, in one statement where they are few', async () => {
    const { remove, left, roundTrips } = await withKeys(-60_000, -1, 0, 1, 60_000)
    expect(await remove()).toEqual({ removed: 3, steps: 1, left: false })
    expect(await left()).toEqual(['-1', '-60000'])
    expect(roundTrips).toHaveLength(1)
  })

  it('finds nothing to remove in one statement', async () => {
    const { remove } = await withKeys(-1)
    expect(await remove()).toEqual({ removed: 0, steps: 1, left: false })
  })

  it('goes step by step, the oldest first, each in a transaction of its own', async () => {
    const { remove, left, roundTrips } = await withKeys(1, 2, 3, 4, 5)
    expect(await remove({ steps: 9, keys: 2 })).toEqual({ removed: 5, steps: 3, left: false })
    expect(await left()).toEqual([])
    expect(roundTrips.map((statements) => statements.length)).toEqual([1, 1, 1])
  })

  it('stops after its last step, says that keys are left, and the next run goes on', async () => {
    const { remove, left } = await withKeys(1, 2, 3, 4, 5)
    expect(await remove({ steps: 2, keys: 2 })).toEqual({ removed: 4, steps: 2, left: true })
    expect(await left()).toEqual(['1'])
    expect(await remove({ steps: 2, keys: 2 })).toEqual({ removed: 1, steps: 1, left: false })
  })

  it('gives up on a database that does not answer', async () => {
    const { db } = await openDomain(() => never)
    await expect(removeOldKeys(connecting(db, 50))).rejects.toThrow(
      'The database has not answered within 50 ms',
    )
  })
})
