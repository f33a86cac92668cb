import { afterEach, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/db/engine.ts'
import { keyLifetime, removeOldKeys } from '../../../src/idempotency/stored-keys.ts'
import { populated } from '../db/changes.ts'
import { insert } from '../db/second-domain/domain.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('the scheduled run removes keys of 24 hours and more, the oldest first, in batches up to its bound, and logs whether some are left', async () => {
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
  const remove = (batches: number) => removeOldKeys(database, false, 1, batches)
  const left = () => rows('SELECT name FROM idempotency_keys ORDER BY at')

  await remove(2)
  expect(await left()).toEqual(['0', '-1', '-60000'])
  await remove(3)
  expect(await left()).toEqual(['-1', '-60000'])
  // The last one finds nothing.
  expect(roundTrips.map((statements) => statements.length)).toEqual([1, 1, 1, 1])
  expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
    { event: 'old keys removed', removed: 2, left: true, bytes: 4_096 },
    { removed: 1, left: false },
  ])
})
