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

const id = encodeCursor('scope', 'kari@example.com', 20)
const position = { keys: ['kari@example.com', '1'], limit: 20 }
const sealed = await sealCursor('scope', position, sealer)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The number that Base62 stands for. */
const numberOf = (digits: string) =>
  [...digits].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n)

it('the scope of a cursor does not depend on the order of filters and of their items', () => {
  expect(scopeOf('/a', [], { kind: ['x', 'y'], id: ['1'] })).toBe(
    scopeOf('/a', [], { id: ['1'], kind: ['y', 'x'] }),
  )
})

it.each(['', 'kari@example.com', 'å 😀 \u0001\uffff', 'x'.repeat(300)])(
  'a cursor is Base62, and gives any text and its limit again in its scope alone: %j',
  async (key) => {
    for (const limit of [1, 255]) {
      const [ofId, ofKeys] = [
        { keys: [key], limit },
        { keys: [key, 'a'], limit },
      ]
      const cursor = encodeCursor('scope', key, limit)
      const secret = await sealCursor('scope', ofKeys, sealer)
      for (const each of [cursor, secret]) {
        expect([each, cursorLimit(each)]).toEqual([expect.stringMatching(/^[0-9A-Za-z]+$/), limit])
      }
      expect(decodeCursor('scope', cursor)).toEqual(ofId)
      expect(decodeCursor('other', cursor)).toBeUndefined()
      expect(await openCursor('scope', secret, sealer)).toEqual(ofKeys)
      expect(await openCursor('other', secret, sealer)).toBeUndefined()
      expect(decodeCursor('scope', secret)).toBeUndefined()
    }
  },
)

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

  it('with an id that no store can keep', () => {
    expect(decodeCursor('scope', encodeCursor('scope', 'x\0', 20))).toBeUndefined()
  })

  it('where its digits hold more than their bytes', async () => {
    const number = numberOf(sealed.slice(0, 7)) + 256n ** 5n
    const digits = Array.from({ length: 7 }, (_, at) => (number / 62n ** BigInt(6 - at)) % 62n)
    const respelled = digits.map((digit) => alphabet[Number(digit)]).join('') + sealed.slice(7)
    expect(await openCursor('scope', respelled, sealer)).toBeUndefined()
  })
})

it('a sealed cursor shows none of its values', () => {
  /** The text that Base62 stands for: five bytes for each seven digits. */
  const read = (cursor: string) =>
    (cursor.match(/.{7}/g) ?? [])
      .map(numberOf)
      .map((number) => Buffer.from(number.toString(16).padStart(10, '0'), 'hex').toString('latin1'))
      .join('')
  expect(read(id)).toContain('kari')
  expect(read(sealed)).not.toContain('kari')
})
