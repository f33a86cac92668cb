import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor, isCursor } from '../../src/jsonapi/cursor.ts'
import { checksum, forged } from './forge.ts'

const key = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0'))
const position = fc.record({
  keys: fc.array(key, { minLength: 1, maxLength: 4 }),
  limit: fc.integer({ min: 1, max: 100 }),
})
const scope = fc.string()

describe('a cursor (contract, section 7)', () => {
  it('is Base62, and says again what it was made of', () => {
    fc.assert(
      fc.property(scope, position, (scope, position) => {
        const cursor = encodeCursor(scope, position)
        expect(cursor).toMatch(/^[0-9A-Za-z]+$/)
        expect(isCursor(cursor)).toBe(true)
        expect(decodeCursor(scope, cursor)).toEqual(position)
      }),
    )
  })

  it('means nothing in another scope', () => {
    fc.assert(
      fc.property(scope, scope, position, (scope, other, position) => {
        fc.pre(scope !== other)
        expect(decodeCursor(other, encodeCursor(scope, position))).toBeUndefined()
      }),
    )
  })

  it('has one spelling: with any character changed, added or left out it is refused', () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.integer({ min: 0, max: 2 }),
      insert: fc.string({ unit: fc.constantFrom(...'0123456789ABCXYZabcxyz-_ é'), maxLength: 2 }),
    })
    fc.assert(
      fc.property(position, change, (position, { at, remove, insert }) => {
        const cursor = encodeCursor('scope', position)
        const index = at % (cursor.length + 1)
        const changed = cursor.slice(0, index) + insert + cursor.slice(index + remove)
        fc.pre(changed !== cursor)
        expect(decodeCursor('scope', changed)).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })

  it('is never made of any text there is', () => {
    const base62 = fc.string({ unit: fc.constantFrom(...'0aAzZ9'), maxLength: 60 })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), base62), (text) => {
        expect(decodeCursor('scope', text)).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })

  it('of more than 4096 characters is not looked at', () => {
    expect(isCursor('0'.repeat(4_097))).toBe(false)
  })
})

describe('a forged cursor is refused, never a failure', () => {
  const sum = checksum('scope')

  it('can be forged at all: the forgery of an honest one is the honest one', () => {
    expect(forged(`[${sum},20,"x"]`)).toBe(encodeCursor('scope', { keys: ['x'], limit: 20 }))
  })

  it.each([
    'null',
    'nonsense',
    '',
    '{}',
    '[]',
    `[${sum},20.5,"x"]`,
    `[${sum},"20","x"]`,
    `[${sum},20,1]`,
    `[${sum},20,null]`,
    `[${sum},20,{"a":1}]`,
    `[${sum},20,"\\u0000"]`,
    `[${sum},20,"\\ud800"]`,
    `[${sum}, 20,"x"]`,
    `[${sum},2e1,"x"]`,
    `\ufeff[${sum},20,"x"]`,
  ])('%j', (content) => {
    expect(decodeCursor('scope', forged(content))).toBeUndefined()
  })
})
