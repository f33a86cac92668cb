import { isStorable } from '../json.ts'

/** What a cursor says: go on after this row, this many at a time. */
export interface Position {
  /** Sort values of the row, its id last. */
  readonly keys: readonly string[]
  readonly limit: number
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const values = new Map([...alphabet].map((character, value) => [character, BigInt(value)]))
const longest = 4096
const utf8 = new TextEncoder()

/** Bytes and the Base62 digits that hold them: blocks of 8 bytes, so that the work grows linearly. */
const blockBytes = 8
const digitsOf = [0, 2, 3, 5, 6, 7, 9, 10, 11]

/**
 * Writes a position as an opaque Base62 string (contract, section 7).
 *
 * @param scope the sort, the filters and the collection that the position belongs to
 */
export function encodeCursor(scope: string, { keys, limit }: Position): string {
  const text = JSON.stringify([checksum(scope), limit, ...keys])
  return encodeBase62(utf8.encode(text + check(text)))
}

/**
 * Reads a cursor. Undefined when this service did not make it, or made it for another scope. A cursor is
 * no secret and grants nothing; the checksums only tell an accident from a position, so that what it says is
 * held to the bounds of the parameters all the same.
 */
export function decodeCursor(scope: string, cursor: string): Position | undefined {
  const position = positionIn(cursor)
  // Compared in full: one position of one scope has one spelling.
  return position && encodeCursor(scope, position) === cursor ? position : undefined
}

/** Does the text have the form of a cursor, of whatever scope? */
export function isCursor(text: string): boolean {
  return positionIn(text) !== undefined
}

/** The page size inside a cursor, of whatever scope; undefined where the text is no cursor. */
export function cursorLimit(text: string): number | undefined {
  return positionIn(text)?.limit
}

function positionIn(cursor: string): Position | undefined {
  if (cursor.length > longest) {
    return undefined
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      decodeBase62(cursor),
    )
    const [, limit, ...keys]: [number, number, ...string[]] = JSON.parse(
      text.slice(0, -checkLength),
    )
    return Number.isInteger(limit) && keys.every(isKey) ? { keys, limit } : undefined
  } catch {
    return undefined
  }
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && isStorable(key)
}

const checkLength = 7

function check(text: string): string {
  return checksum(text).toString(36).padStart(checkLength, '0')
}

/** FNV-1a, 32 bits, over UTF-16 code units. */
function checksum(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

function encodeBase62(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += blockBytes) {
    text += encodeBlock(bytes.subarray(start, start + blockBytes))
  }
  return text
}

/** The digits of a block, divided as two halves of 32 bits: a big integer takes twice as long. */
function encodeBlock(block: Uint8Array): string {
  let high = 0
  let low = 0
  for (const byte of block) {
    high = (high * 256 + (low >>> 24)) >>> 0
    low = ((low << 8) | byte) >>> 0
  }
  let digits = ''
  for (let count = digitsOf[block.length] ?? 0; count > 0; count--) {
    const rest = (high % 62) * 2 ** 32 + low
    high = Math.floor(high / 62)
    low = Math.floor(rest / 62)
    digits = alphabet.charAt(rest % 62) + digits
  }
  return digits
}

function decodeBase62(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes: number[] = []
  const blockDigits = digitsOf[blockBytes] ?? 0
  for (let start = 0; start < text.length; start += blockDigits) {
    const digits = text.slice(start, start + blockDigits)
    const length = digitsOf.indexOf(digits.length)
    let number = 0n
    for (const digit of digits) {
      const value = values.get(digit)
      if (value === undefined) {
        return undefined
      }
      number = number * 62n + value
    }
    if (length < 1 || number >= 1n << BigInt(8 * length)) {
      return undefined
    }
    for (let shift = 8 * (length - 1); shift >= 0; shift -= 8) {
      bytes.push(Number((number >> BigInt(shift)) & 255n))
    }
  }
  return new Uint8Array(bytes)
}
