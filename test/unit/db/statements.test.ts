import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SQL } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createCipher } from '../../../src/db/cipher.ts'
import { prepare } from '../../../src/db/read.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { type From, onlyId, type Read } from '../../../src/jsonapi/run/port.ts'
import { wholePage } from './reading.ts'
import { ids } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

const cipher = createCipher({ current: 'k', keys: new Map([['k', new Uint8Array(32)]]) })

/** The texts of the statements of a read, where the registry has been used before. */
function textsOf(read: Read, used = registry): string[] {
  return prepare(used, cipher, read).statements.map(({ sql }) => sql)
}

// Few choices of each part, so that many reads have one shape and many others differ in one part.
const show = fc.record({
  attributes: fc.constant(['title']),
  ownAttributes: fc.subarray(['notes']),
  relationships: fc.constant(['author', 'contributors']),
})
const showOfPeople = fc.record({
  attributes: fc.subarray(['nickname']),
  ownAttributes: fc.constant([]),
  relationships: fc.subarray(['follows']),
})
const froms: fc.Arbitrary<From> = fc.oneof(
  fc.record({
    kind: fc.constant('ids' as const),
    ids: fc.uniqueArray(fc.constantFrom('a1', 'a2')),
  }),
  fc.record({
    kind: fc.constant('page' as const),
    filter: fc.constantFrom({}, { id: ['x'] }, { id: ['y', 'z'] }),
    sort: fc.constantFrom([], [{ field: 'title', descending: true }]),
    after: fc.constantFrom(undefined, ['x', 'y'], ['y', 'z']),
    limit: fc.constantFrom(undefined, 1, 20),
    offset: fc.constantFrom(0, 5, 7),
    total: fc.boolean(),
  }),
)
const reads: fc.Arbitrary<Read> = fc
  .tuple(
    fc.record({ from: froms, show, viewer: fc.constantFrom(null, 'ann', 'bob') }),
    fc.subarray(['author', 'contributors']),
    showOfPeople,
  )
  .map(([read, included, show]) => ({
    ...read,
    type: 'articles',
    alongside: included.map((relationship) => ({ relationship, target: 'people', show })),
  }))

describe('a statement whose text is made once', () => {
  it('serves another read only where that would have the same one', () => {
    fc.assert(
      fc.property(reads, (read) => {
        const unused = createRegistry(registry.types.map(registry.get))
        expect(textsOf(read)).toEqual(textsOf(read, unused))
      }),
      { numRuns: 500 },
    )
  })

  const read: Read = {
    type: 'articles',
    from: wholePage,
    show: { attributes: ['title'], ownAttributes: [], relationships: [] },
    alongside: [],
    viewer: null,
  }
  const filtered = { ...wholePage, filter: { section: ['x'] }, limit: 1, total: true }
  const contributors = { type: 'articles', id: 'a', relationship: 'contributors' }
  const behind = { ...wholePage, sort: [{ field: 'title', descending: false }] }
  it.each<[string, From, From]>([
    ['an id', { kind: 'ids', ids: ['a'] }, { kind: 'ids', ids: ['b'] }],
    ['ids', { kind: 'ids', ids: ['a', 'b'] }, { kind: 'ids', ids: ids('c', 99) }],
    ['filters and limits', filtered, { ...filtered, filter: { section: ids('d', 99) }, limit: 2 }],
    ['positions', { ...behind, after: ['a', 'b'] }, { ...behind, after: ['c', 'd'] }],
    ['offsets', { ...wholePage, offset: 1 }, { ...wholePage, offset: 2 }],
  ])('serves all values of %s', (_, one, other) => {
    const texts = textsOf({ ...read, from: one, viewer: 'ann' })
    const making = vi.spyOn(SQL.prototype, 'toQuery')
    expect(textsOf({ ...read, from: other, viewer: 'bob' })).toEqual(texts)
    expect(making).not.toHaveBeenCalled()
    making.mockRestore()
    // D1 takes 100 parameters.
    expect(texts.join().split('?').length).toBeLessThan(40)
  })

  it('is kept for the last 500 shapes, and made anew for an older one', () => {
    const unused = createRegistry(registry.types.map(registry.get))
    const use = (nth: number) => {
      const digits = nth.toString(4).padStart(5, '0')
      const attributes = Array.from(
        digits,
        (digit) => ['title', 'handle', 'section', 'notes'][+digit] ?? '',
      )
      textsOf({ ...read, show: { ...read.show, attributes } }, unused)
    }
    for (let nth = 0; nth < 501; nth++) {
      use(nth)
    }
    const making = vi.spyOn(SQL.prototype, 'toQuery')
    use(1)
    expect(making).not.toHaveBeenCalled()
    use(0)
    expect(making).toHaveBeenCalled()
    making.mockRestore()
  })

  it.each<[string, Partial<Read> & { readonly from: From }]>([
    ['a collection', { from: { ...filtered, after: ['x'] } }],
    [
      'related resources',
      { type: 'people', show: onlyId, from: { ...wholePage, of: contributors } },
    ],
    ['linkage', { from: { ...wholePage, kind: 'linkage', ...contributors } }],
  ])('keeps no value of the first read of %s', async (_, { from, ...other }) => {
    const unused = createRegistry(registry.types.map(registry.get))
    const kept = ((made: From) => {
      textsOf({ ...read, ...other, from: made }, unused)
      return new WeakRef(made)
    })({ ...from })
    // A job that has used a WeakRef keeps its target.
    await setImmediate()
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    expect(kept.deref()).toBeUndefined()
  })
})
