import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, newUsage } from '../../../src/db/connection.ts'
import { keyLifetime, removalStatement, removeOldKeys } from '../../../src/db/keys.ts'
import type { Database } from '../../../src/db/statement.ts'
import { never } from './hanging.ts'
import { insert, openDomain } from './second-domain/domain.ts'

const connecting = (db: Database, deadlineMs: number) => () =>
  connect(db, newUsage(), { metered: false, deadlineMs })

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

  it('reads the keys that it removes, however many others there are', async () => {
    const { d1 } = await withKeys(1, 2, ...Array.from({ length: 300 }, (_, nth) => -1 - nth))
    const { text, values } = removalStatement(1_000)
    const [result] = await d1.batch([d1.prepare(text).bind(...values)])
    expect(result?.results).toHaveLength(2)
    expect(result?.meta.rows_read).toBeLessThan(15)
  })

  it('gives up on a database that does not answer', async () => {
    const { db } = await openDomain(() => never)
    await expect(removeOldKeys(connecting(db, 50))).rejects.toThrow(
      'D1 has not answered within 50 ms',
    )
  })
})
