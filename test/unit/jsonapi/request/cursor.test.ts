import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cursorLimit,
  decodeCursor,
  encodeCursor,
  openCursor,
  scopeOf,
  sealCursor,
} from '../../../../src/jsonapi/request/cursor.ts'
import { sealer } from '../../../support/sealer.ts'
import { anyText } from '../../../support/texts.ts'
import { base62Of, bytesOf } from '../base62.ts'

const key = anyText({ maxLength: 40 }).filter((text) => !text.includes('\0'))
const limit = fc.integer({ min: 1, max: 100 })
const position = fc.record({ keys: fc.array(key, { minLength: 2, maxLength: 4 }), limit })
const scope = fc.string()

it('the scope of a cursor does not depend on the order of filters and of their items', () => {
  expect(scopeOf('/a', [], { kind: ['x', 'y'], id: ['1'] })).toBe(
    scopeOf('/a', [], { id: ['1'], kind: ['y', 'x'] }),
  )
})

describe('a cursor of ids', () => {
  it('is Base62, and gives its id and limit again in its scope alone', () => {
    fc.assert(
      fc.property(scope, scope, key, limit, (scope, other, id, limit) => {
        const cursor = encodeCursor(scope, id, limit)
        expect(cursor).toMatch(/^[0-9A-Za-z]+$/)
        expect(cursorLimit(cursor)).toBe(limit)
        expect(decodeCursor(scope, cursor)).toEqual({ keys: [id], limit })
        fc.pre(scope !== other)
        expect(decodeCursor(other, cursor)).toBeUndefined()
      }),
    )
  })

  it('is refused with any character changed, added or left out', () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.integer({ min: 0, max: 7 }),
      insert: fc.string({ unit: fc.constantFrom(...'0123456789ABCXYZabcxyz-_ é'), maxLength: 7 }),
    })
    fc.assert(
      fc.property(key, limit, change, (id, limit, { at, remove, insert }) => {
        const cursor = encodeCursor('scope', id, limit)
        const index = at % (cursor.length + 1)
        const changed = cursor.slice(0, index) + insert + cursor.slice(index + remove)
        fc.pre(changed !== cursor)
        expect(decodeCursor('scope', changed)).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['\0', 'x\0'])('is refused with the id %j, which no store can keep', (id) => {
    expect(decodeCursor('scope', encodeCursor('scope', id, 20))).toBeUndefined()
  })
})

describe('a sealed cursor', () => {
  it('is Base62, and gives its values and limit again in its scope alone', async () => {
    await fc.assert(
      fc.asyncProperty(scope, scope, position, async (scope, other, position) => {
        const cursor = await sealCursor(scope, position, sealer)
        expect(cursor).toMatch(/^[0-9A-Za-z]+$/)
        expect(cursorLimit(cursor)).toBe(position.limit)
        expect(await openCursor(scope, cursor, sealer)).toEqual(position)
        expect(decodeCursor(scope, cursor)).toBeUndefined()
        fc.pre(scope !== other)
        expect(await openCursor(other, cursor, sealer)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('shows none of its values', async () => {
    const position = { keys: ['kari@example.com', '1'], limit: 20 }
    const read = (cursor: string) => new TextDecoder().decode(bytesOf(cursor))
    expect(read(encodeCursor('scope', 'kari@example.com', 20))).toContain('kari')
    expect(read(await sealCursor('scope', position, sealer))).not.toContain('kari')
  })

  it('is refused with any character changed, the limit among them, and with more of them or fewer', async () => {
    const cursor = await sealCursor('scope', { keys: ['value', 'id'], limit: 20 }, sealer)
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === '0' ? '1' : '0'
      const changed = cursor.slice(0, index) + other + cursor.slice(index + 1)
      expect(await openCursor('scope', changed, sealer)).toBeUndefined()
    }
    for (const changed of [
      base62Of(bytesOf(cursor).with(0, 21)),
      `${cursor}0`,
      `${cursor}0000000`,
      cursor.slice(0, -1),
      cursor.slice(0, -7),
    ]) {
      expect(await openCursor('scope', changed, sealer)).toBeUndefined()
    }
  })

  it.each([
    ['a cursor of ids', encodeCursor('scope', 'id', 20)],
    ['of ids, as long as a sealed one', encodeCursor('scope', 'x'.repeat(80), 20)],
    ['empty', ''],
    ['long', 'x'.repeat(4_200)],
  ])('is not a text that is %s', async (_, text) => {
    expect(await openCursor('scope', text, sealer)).toBeUndefined()
  })
})

it.each([
  ['where it is empty', ''],
  ['where a character is no digit', `${encodeCursor('scope', 'x', 20).slice(1)}-`],
  ['where digits are left over', `${encodeCursor('scope', 'x', 20)}0`],
  ['where digits hold more than their bytes', 'zzzzzzz'],
  ['where nothing marks its end', base62Of(Uint8Array.of(20, 1, 2, 3, 4))],
  ['where it ends with a block too many', base62Of(Uint8Array.of(20, 9, 9, 9, 1, 0, 0, 0, 0, 0))],
  ['where there is only the mark', base62Of(Uint8Array.of(1, 0, 0, 0, 0))],
])('a text has not the form of a cursor: %s', (_, text) => {
  expect(cursorLimit(text)).toBeUndefined()
})
