import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBookmarks } from '../../../src/db/bookmarks.ts'
import type { Signer } from '../../../src/lib/key-ring.ts'

const state = `${'00000001-'.repeat(3)}${'0'.repeat(32)}`
const signer: Signer = { sign: async () => '', verify: async () => false }
const most = 10_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const callers = (count: number) => Array.from({ length: count }, (_, index) => `caller ${index}`)

it('the states of 10,000 callers are remembered, and the oldest write is forgotten first', async () => {
  const { newest, remember } = createBookmarks('', signer)
  const [first = '', second = '', ...rest] = callers(most)
  for (const caller of [first, second, ...rest, first, 'one more']) {
    remember(caller, state)
  }
  const known = await Promise.all(
    [first, second, ...rest, 'one more'].map((one) => newest(one, undefined)),
  )
  expect(known.filter((one) => one === state)).toHaveLength(most)
  expect(known[1]).toBeUndefined()
})

it('the map of callers holds no more than 10,000', () => {
  const maps: Map<unknown, unknown>[] = []
  const set = vi.spyOn(Map.prototype, 'set').mockImplementation(function (
    this: Map<unknown, unknown>,
    key,
    value,
  ) {
    set.mockRestore()
    maps.push(this)
    return this.set(key, value)
  })
  const { remember } = createBookmarks('', signer)
  for (const caller of callers(most + 500)) {
    remember(caller, state)
  }
  const [map] = maps
  expect(map?.size).toBe(most)
})
