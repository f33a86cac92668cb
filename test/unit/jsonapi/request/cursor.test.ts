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

const id = encodeCursor('scope', 'kari@example.com', 20)
const position = { keys: ['kari@example.com', '1'], limit: 20 }
const sealed = await sealCursor('scope', position, sealer)

it('the scope of a cursor does not depend on the order of filters and of their items', () => {
  expect(scopeOf('/a', [], { kind: ['x', 'y'], id: ['1'] })).toBe(
    scopeOf('/a', [], { id: ['1'], kind: ['y', 'x'] }),
  )
})

it('a cursor is Base62, and gives its values and limit again in its scope alone', async () => {
  for (const cursor of [id, sealed]) {
    expect(cursor).toMatch(/^[0-9A-Za-z]+$/)
    expect(cursorLimit(cursor)).toBe(20)
  }
  expect(decodeCursor('scope', id)).toEqual({ keys: ['kari@example.com'], limit: 20 })
  expect(decodeCursor('other', id)).toBeUndefined()
  expect(await openCursor('scope', sealed, sealer)).toEqual(position)
  expect(await openCursor('other', sealed, sealer)).toBeUndefined()
  expect(decodeCursor('scope', sealed)).toBeUndefined()
})

it('any text comes back from a cursor', async () => {
  const key = anyText({ maxLength: 40 }).filter((text) => !text.includes('\0'))
  const limit = fc.integer({ min: 1, max: 100 })
  await fc.assert(
    fc.asyncProperty(fc.string(), key, limit, async (scope, key, limit) => {
      const position = { keys: [key, key], limit }
      expect(decodeCursor(scope, encodeCursor(scope, key, limit))).toEqual({ keys: [key], limit })
      const cursor = await sealCursor(scope, position, sealer)
      expect(await openCursor(scope, cursor, sealer)).toEqual(position)
    }),
    { numRuns: 50 },
  )
})

describe('a cursor is refused', () => {
  it.each([
    ['of ids', id],
    ['that is sealed', sealed],
  ])('with any character changed, added or left out: one %s', async (_, cursor) => {
    const changed = Array.from(
      cursor,
      (digit, at) => cursor.slice(0, at) + (digit === '0' ? 1 : 0) + cursor.slice(at + 1),
    )
    const others = [`${cursor}0`, `${cursor}0000000`, cursor.slice(0, -1), cursor.slice(0, -7), '']
    for (const other of [...changed, ...others, `${cursor.slice(1)}-`, 'x'.repeat(4_200)]) {
      expect(decodeCursor('scope', other)).toBeUndefined()
      expect(await openCursor('scope', other, sealer)).toBeUndefined()
    }
  })

  it.each(['\0', 'x\0'])('with the id %j, which no store can keep', (text) => {
    expect(decodeCursor('scope', encodeCursor('scope', text, 20))).toBeUndefined()
  })

  it('where its digits hold more than their bytes', () => {
    expect(cursorLimit('zzzzzzz')).toBeUndefined()
  })
})

it('a sealed cursor shows none of its values', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  /** The text that Base62 stands for: five bytes for each seven digits. */
  const read = (cursor: string) =>
    (cursor.match(/.{7}/g) ?? [])
      .map((digits) =>
        [...digits].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n),
      )
      .map((number) => Buffer.from(number.toString(16).padStart(10, '0'), 'hex').toString('latin1'))
      .join('')
  expect(read(id)).toContain('kari')
  expect(read(sealed)).not.toContain('kari')
})
