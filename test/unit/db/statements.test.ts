import { SQL } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { prepare } from '../../../src/db/read.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import type { From, Read } from '../../../src/jsonapi/run/port.ts'
import { wholePage } from './reading.ts'
import { registry } from './second-domain/registry.ts'
import { cipher } from './store-options.ts'

/** The texts of the statements of a read, where the registry has been used before. */
function textsOf(read: Read, used = registry): string[] {
  return prepare(used, cipher, [read]).statements.map(({ sql }) => sql)
}

const show = { attributes: ['title'], ownAttributes: [], relationships: [] }
const readOf = (from: From, viewer: string | null = null, more: Partial<Read> = {}): Read => ({
  ...{ type: 'articles', from, show, alongside: [], viewer },
  ...more,
})
const filtered = { ...wholePage, filter: { section: ['x'] }, limit: 1, total: true }
const sorted = { ...wholePage, sort: [{ field: 'title', descending: false }] }
const behind = { ...sorted, after: ['a', 'b'] }

const ofPeople = { ...show, attributes: ['nickname'] }
/** Reads of which each has a statement of its own, or that of another one. */
const reads = [
  ...[{ kind: 'ids', ids: ['a'] }, { kind: 'ids', ids: [] }, wholePage, filtered, sorted, behind],
  ...[
    { ...wholePage, offset: 5 },
    { ...filtered, total: false },
    { ...wholePage, limit: 2 },
  ],
  ...[
    { ...wholePage, filter: { id: ['a', 'b'] } },
    { ...behind, sort: [], after: ['a'] },
  ],
].flatMap((from) => [
  readOf(from as From),
  readOf(from as From, 'ann', { show: { ...show, ownAttributes: ['notes'] } }),
  readOf(from as From, null, {
    alongside: [{ relationship: 'author', target: 'people', show: ofPeople }],
    show: { ...show, relationships: ['author'] },
  }),
])

it('a statement that was made for one read serves another only where that has the same one', () => {
  for (const all of [reads, reads.toReversed()]) {
    const used = createRegistry(registry.types.map(registry.get))
    for (const read of all) {
      const unused = createRegistry(registry.types.map(registry.get))
      expect(textsOf(read, used)).toEqual(textsOf(read, unused))
    }
  }
})

it('a statement is kept for the last 500 shapes, and made anew for an older one', () => {
  const used = createRegistry(registry.types.map(registry.get))
  const names = ['title', 'handle', 'section', 'notes']
  const making = vi.spyOn(SQL.prototype, 'toQuery')
  const isMade = (nth: number) => {
    making.mockClear()
    const attributes = [...nth.toString(4).padStart(5, '0')].map((digit) => String(names[+digit]))
    textsOf(readOf(wholePage, null, { show: { ...show, attributes } }), used)
    return making.mock.calls.length > 0
  }
  expect(Array.from({ length: 501 }, (_, nth) => isMade(nth))).toEqual(Array(501).fill(true))
  expect([isMade(1), isMade(0)]).toEqual([false, true])
})
