import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cursorLimit,
  decodeCursor,
  encodeCursor,
  isCursor,
  openCursor,
  sealCursor,
} from '../../../../src/jsonapi/request/cursor.ts'
import { minSealedBytes } from '../../../../src/lib/key-ring.ts'
import { sealer } from '../../../support/sealer.ts'
import { anyText } from '../../../support/texts.ts'
import { base62, checksum, forged, spelled } from '../forge.ts'

const key = anyText({ maxLength: 40 }).filter((text) => !text.includes('\0'))
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

  it('is found in no text that was not made by this service', () => {
    const base62 = fc.string({ unit: fc.constantFrom(...'0aAzZ9'), maxLength: 60 })
    fc.assert(
      fc.property(fc.oneof(anyText(), base62), (text) => {
        expect(decodeCursor('scope', text)).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a sealed cursor (contract, section 7)', () => {
  it('is Base62, says again what it was made of, and its limit to anybody', async () => {
    await fc.assert(
      fc.asyncProperty(scope, scope, position, async (scope, other, position) => {
        const cursor = await sealCursor(sealer, scope, position)
        expect(cursor).toMatch(/^[0-9A-Za-z]+$/)
        expect(isCursor(cursor)).toBe(true)
        expect(cursorLimit(cursor)).toBe(position.limit)
        expect(await openCursor(sealer, scope, cursor)).toEqual(position)
        expect(decodeCursor(scope, cursor)).toBeUndefined()
        const elsewhere = await openCursor(sealer, other, cursor)
        expect(elsewhere).toEqual(other === scope ? position : undefined)
      }),
      { numRuns: 50 },
    )
  })

  it('is refused with any character changed, the limit among them', async () => {
    const cursor = await sealCursor(sealer, 'scope', { keys: ['value', 'id'], limit: 20 })
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === '0' ? '1' : '0'
      const changed = cursor.slice(0, index) + other + cursor.slice(index + 1)
      expect(await openCursor(sealer, 'scope', changed)).toBeUndefined()
    }
    expect(await openCursor(sealer, 'scope', `${cursor}0`)).toBeUndefined()
    expect(await openCursor(sealer, 'scope', cursor.slice(0, -1))).toBeUndefined()
  })

  it('is neither a cursor of ids nor a text of another kind', async () => {
    const cursor = encodeCursor('scope', { keys: ['id'], limit: 20 })
    expect(await openCursor(sealer, 'scope', cursor)).toBeUndefined()
    expect(await openCursor(sealer, 'scope', '')).toBeUndefined()
    expect(await openCursor(sealer, 'scope', 'x'.repeat(5_000))).toBeUndefined()
    expect(isCursor('')).toBe(false)
  })
})

describe('bytes that begin like a sealed cursor', () => {
  it.each([
    [2 + minSealedBytes, 20],
    [1 + minSealedBytes, undefined],
    [2, undefined],
    [1, undefined],
  ])(
    'have the form of one from the fewest bytes of a sealed text on: of %d the limit is %s',
    (length, limit) => {
      const bytes = new Uint8Array(length)
      bytes.set([1, 20].slice(0, length))
      expect(cursorLimit(spelled(bytes))).toBe(limit)
    },
  )
})

describe('a forged cursor is refused, never a failure', () => {
  const sum = checksum('scope')

  it('can be forged at all: the forgery of an honest one is the honest one', () => {
    expect(forged(`[${sum},20,"x"]`)).toBe(encodeCursor('scope', { keys: ['x'], limit: 20 }))
  })

  it.each([
    'null',
    '',
    '[]',
    `[${sum},20.5,"x"]`,
    `[${sum},"20","x"]`,
    `[${sum},20,1]`,
    `[${sum},20,"x",1]`,
    `[${sum},20,null]`,
    `[${sum},20,{"a":1}]`,
    `[${sum},20,"\\u0000"]`,
    `[${sum},20,"\\ud800"]`,
    `\ufeff[${sum},20,"x"]`,
  ])('%j has not the form of one', (content) => {
    expect(isCursor(forged(content))).toBe(false)
    expect(decodeCursor('scope', forged(content))).toBeUndefined()
  })

  it.each([`[${sum}, 20,"x"]`, `[${sum},2e1,"x"]`])(
    '%j spells an honest one in another way',
    (content) => {
      expect(decodeCursor('scope', forged(content))).toBeUndefined()
    },
  )

  it('so are bytes that are not UTF-8', () => {
    const bytes = new TextEncoder().encode(`[${sum},20,"x"]0000000`)
    expect(isCursor(spelled(bytes))).toBe(true)
    expect(isCursor(spelled(bytes.with(bytes.indexOf('x'.charCodeAt(0)), 0xff)))).toBe(false)
  })

  it('so are digits that stand for no bytes: more than they hold, or one too many', () => {
    /** A cursor whose last block of 8 bytes holds only so many. */
    const ending = (bytes: number) => {
      const key = 'x'.repeat(16).slice((`[${sum},20,""]`.length + 7 + 16 - bytes) % 8)
      return forged(`[${sum},20,"${key}"]`)
    }
    const checked = ending(7)
    expect(isCursor(checked)).toBe(true)
    expect(isCursor(checked.slice(0, -10) + base62(0n, 10))).toBe(true)
    expect(isCursor(checked.slice(0, -10) + base62(2n ** 56n, 10))).toBe(false)
    expect(isCursor(ending(8))).toBe(true)
    expect(isCursor(`${ending(8)}0`)).toBe(false)
  })
})
