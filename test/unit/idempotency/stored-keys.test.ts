import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/db/engine.ts'
import { keyLifetime, onceFor, removeOldKeys } from '../../../src/idempotency/stored-keys.ts'
import { create, edit, populated, remove, update } from '../db/changes.ts'
import type { Database } from '../db/d1/d1.ts'
import { never } from '../db/hanging.ts'
import { dump, insert, openDomain } from '../db/second-domain/domain.ts'

/** A key, with the fingerprint of its request. */
const keyOf = (name: string, fingerprint = 'first') => onceFor({ name, fingerprint })

/** An article like others but for its id and what must be unique. */
const article = (id: string) => create(id, { handle: `handle-of-${id}` })
const stored = 'SELECT name, fingerprint, created FROM idempotency_keys ORDER BY name'

describe('a write with a key', () => {
  it('comes before anything else that is wrong with a later one, and costs no further round trip', async () => {
    const { d1, store, rows, roundTrips } = await populated()
    const edits = [edit(update('a', { title: 'T' })), edit(article('c')), edit(article('d'))]
    await store.write(edits, keyOf('k1'))
    expect(roundTrips).toHaveLength(1)
    expect(await rows(stored)).toEqual(['k1 first c,d'])
    const before = await dump(d1)
    const used = { kind: 'used', fingerprint: 'first', created: ['c', 'd'] }
    expect(await store.write([edit(remove('b'))], keyOf('k1'))).toEqual(used)
    expect(roundTrips).toHaveLength(3)
    expect(await dump(d1)).toEqual(before)
  })

  it.each([
    ['used when it is a millisecond younger than 24 hours', 1, 'used', 'k1 first c'],
    ['absent when it is 24 hours old, and its row is replaced', 0, 'done', 'k1 second d'],
  ])('counts a key as %s', async (_, left, kind, row) => {
    const { d1, write, rows } = await populated()
    const now = Date.UTC(2026, 10, 21)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - keyLifetime + left)
    await write(article('c'), 'ann', keyOf('k1', 'first'))
    clock.mockReturnValue(now)
    expect(await write(article('d'), 'ann', keyOf('k1', 'second'))).toMatchObject({ kind })
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

describe('the scheduled removal of keys', () => {
  it('removes those of 24 hours and more, and no others, in one statement where they are few', async () => {
    const { remove, left, roundTrips } = await withKeys(-60_000, -1, 0, 1, 60_000)
    expect(await remove()).toEqual({ removed: 3, steps: 1, left: false })
    expect(await left()).toEqual(['-1', '-60000'])
    expect(roundTrips).toHaveLength(1)
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
