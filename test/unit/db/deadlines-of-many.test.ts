import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../../src/jsonapi/errors.ts'
import { populated } from './changes.ts'
import { advance, never, trips, useFakeClock, watch } from './hanging.ts'
import { readAs, wholePage } from './reading.ts'

const deadline = 5_000

useFakeClock()

describe('many requests while D1 hangs', () => {
  it('that wait for reference data share one load and one beside it, fail with them, and the next one begins others', async () => {
    const { store, roundTrips } = await populated((_, run) => (hangs ? never : run()))
    let hangs = true
    for (const loads of [2, 4]) {
      const all = Array.from({ length: 100 }, () => watch(readAs(store, 'tags.list', wholePage)))
      await advance(deadline)
      expect(all.filter(({ ended }) => ended instanceof ApiError)).toHaveLength(100)
      expect(roundTrips).toHaveLength(loads)
      // The deadline of the second load, which began later.
      await advance(500)
      expect(vi.getTimerCount()).toBe(0)
    }
    hangs = false
    const { found } = await readAs(store, 'tags.list', wholePage)
    expect(found.records).toHaveLength(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('wait half a second for reference data that are not there yet where one call in many stalls', async () => {
    const { store, roundTrips } = await populated(trips('hangs before it'))
    const all = Array.from({ length: 100 }, () => watch(readAs(store, 'tags.list', wholePage)))
    await advance(499)
    expect(all.filter((seen) => 'ended' in seen)).toEqual([])
    await advance(1)
    expect(all.filter(({ ended }) => !(ended instanceof ApiError))).toHaveLength(100)
    expect(all.every((seen) => 'ended' in seen)).toBe(true)
    expect(roundTrips).toHaveLength(2)
    // The call that hangs ends by its own deadline.
    await advance(deadline - 500)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('go on with reference data from memory, also when those are due for reloading', async () => {
    let hangs = false
    const { store, roundTrips } = await populated((_, run) => (hangs ? never : run()))
    await readAs(store, 'tags.list', wholePage)
    hangs = true
    for (const later of [0, 5 * 60_000, 60_000, 24 * 3_600_000]) {
      vi.setSystemTime(Date.now() + later)
      const before = Date.now()
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => readAs(store, 'tags.list', wholePage)),
      )
      expect(new Set(answers.map(({ found }) => found.records.length))).toEqual(new Set([3]))
      expect(Date.now()).toBe(before)
      await advance(deadline)
      expect(vi.getTimerCount()).toBe(0)
    }
    // The first load, and one attempt each time that five minutes have passed since the last one.
    expect(roundTrips).toHaveLength(3)
  })
})
