import { minSealedBytes, type Sealer } from '../../lib/key-ring.ts'
import { isStorable } from '../json.ts'

/** The content of a cursor: the row that the page begins after, and the size of the page. */
export interface Position {
  /** The sort values of the row, and its id as the last one. */
  readonly keys: readonly string[]
  readonly limit: number
}

const utf8 = new TextEncoder()

/** The largest page: a sealed cursor holds the page size in one byte. */
export const largestPage = 255

/** The first byte of a sealed cursor, before its limit. Other cursors hold JSON text, which begins with a bracket. */
const sealMark = 1

/**
 * Writes a position in the order of ids as an opaque Base62 string (contract, section 7).
 *
 * @param scope the sort, the filters and the collection that the position belongs to
 */
export function encodeCursor(scope: string, { keys, limit }: Position): string {
  const text = JSON.stringify([checksum(scope), limit, ...keys])
  return encodeBase62(utf8.encode(text + checksumText(text)))
}

/**
 * Reads a cursor of {@link encodeCursor}; undefined where its checksum is wrong or it was made for another scope. Such a cursor
 * is no secret and grants nothing. Anyone can make one, so that its limit is still compared with the bounds of `page[limit]`.
 */
export function decodeCursor(scope: string, cursor: string): Position | undefined {
  const position = positionIn(decodeBase62(cursor))
  // A position of a scope has exactly one spelling, so that the whole text can be compared.
  return position && encodeCursor(scope, position) === cursor ? position : undefined
}

/**
 * Writes a position that holds values of attributes. It is sealed, because links end up in logs (contract, section 7). The limit
 * stands outside the seal, because the price depends on it, and is authenticated together with the position.
 *
 * @param scope the sort, the filters and the collection that the position belongs to
 */
export async function sealCursor(
  sealer: Sealer,
  scope: string,
  { keys, limit }: Position,
): Promise<string> {
  const sealed = await sealer.seal(JSON.stringify(keys), contextOf(scope, limit))
  const bytes = new Uint8Array(2 + sealed.length)
  bytes.set([sealMark, limit])
  bytes.set(sealed, 2)
  return encodeBase62(bytes)
}

/** Reads a cursor of {@link sealCursor}; undefined where this service did not make it, or made it for another scope. */
export async function openCursor(
  sealer: Sealer,
  scope: string,
  cursor: string,
): Promise<Position | undefined> {
  const bytes = decodeBase62(cursor)
  const limit = sealedLimit(bytes)
  if (!bytes || limit === undefined) {
    return undefined
  }
  const text = await sealer.open(bytes.slice(2), contextOf(scope, limit))
  return text === undefined ? undefined : { keys: JSON.parse(text), limit }
}

/** Does the text have the form of a cursor of any scope? */
export function isCursor(text: string): boolean {
  return cursorLimit(text) !== undefined
}

/** The page size in a cursor of any scope; undefined where the text is no cursor. */
export function cursorLimit(text: string): number | undefined {
  const bytes = decodeBase62(text)
  return sealedLimit(bytes) ?? positionIn(bytes)?.limit
}

function contextOf(scope: string, limit: number): string {
  return JSON.stringify([limit, scope])
}

/** The limit of bytes that have the form of a sealed cursor; undefined for others. */
function sealedLimit(bytes: Uint8Array | undefined): number | undefined {
  return bytes && bytes[0] === sealMark && bytes.length >= 2 + minSealedBytes ? bytes[1] : undefined
}

function positionIn(bytes: Uint8Array | undefined): Position | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
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

function checksumText(text: string): string {
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

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The bytes of a block, and the Base62 digits that hold them. Blocks keep the work linear in the length. */
const blockBytes = 8
const digitsOf = [0, 2, 3, 5, 6, 7, 9, 10, 11]

/** Writes bytes as ASCII letters and digits. Bytes have exactly one spelling. */
function encodeBase62(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += blockBytes) {
    text += encodeBlock(bytes.subarray(start, start + blockBytes))
  }
  return text
}

function encodeBlock(block: Uint8Array): string {
  let number = block.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let digits = ''
  for (let count = digitsOf[block.length] ?? 0; count > 0; count--) {
    digits = alphabet.charAt(Number(number % 62n)) + digits
    number /= 62n
  }
  return digits
}

/** Reads a text of {@link encodeBase62}; undefined for any other text. */
export function decodeBase62(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes: number[] = []
  const blockDigits = digitsOf[blockBytes] ?? 0
  for (let start = 0; start < text.length; start += blockDigits) {
    const digits = text.slice(start, start + blockDigits)
    const length = digitsOf.indexOf(digits.length)
    let number = 0n
    for (const digit of digits) {
      const value = alphabet.indexOf(digit)
      if (value < 0) {
        return undefined
      }
      number = number * 62n + BigInt(value)
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
