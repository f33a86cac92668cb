import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/db/engine.ts'
import { keyLifetime, onceFor, removeOldKeys } from '../../../src/idempotency/stored-keys.ts'
import { create, edit, populated, remove as removal, update } from '../db/changes.ts'
import { dump, insert } from '../db/second-domain/domain.ts'

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
    expect(await store.write([edit(removal('b'))], keyOf('k1'))).toEqual(used)
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

afterEach(() => {
  vi.restoreAllMocks()
})

it('the scheduled run removes keys of 24 hours and more, the oldest first, in one statement, and logs whether some are left', async () => {
  const { d1, db, rows, roundTrips } = await populated()
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  // Their names are their ages, in milliseconds past 24 hours.
  const keys = [-60_000, -1, 0, 1, 60_000].map((age) => ({
    name: String(age),
    fingerprint: 'f',
    created: 'a',
    at: now - keyLifetime - age,
  }))
  await insert(d1, 'idempotency_keys', ...keys)
  const run = { run: async () => ({ meta: { size_after: 4_096 } }) }
  const DB = { ...db, prepare: (text: string) => Object.assign(db.prepare(text), run) }
  const options = { deadlineMs: 5_000, replicated: false }
  const database = openDatabase({ DB } as unknown as Env, options)
  const remove = () => removeOldKeys(database, false, 2)
  const left = () => rows('SELECT name FROM idempotency_keys ORDER BY at')

  await remove()
  expect(await left()).toEqual(['0', '-1', '-60000'])
  await remove()
  expect(await left()).toEqual(['-1', '-60000'])
  expect(roundTrips.map((statements) => statements.length)).toEqual([1, 1])
  expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
    { event: 'old keys removed', removed: 2, left: true, bytes: 4_096 },
    { removed: 1, left: false },
  ])
})
