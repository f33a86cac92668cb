import type { Sealer } from '../../lib/key-ring.ts'
import { isStorable } from '../json.ts'

/** Where a page begins, and how large it is. */
export interface Position {
  /** The sort values of the row before the page, and its id as the last one. */
  readonly keys: readonly string[]
  readonly limit: number
}

/** The maximum page size: it is the first byte of a cursor. */
export const maxPageSize = 255

/** The path, the sort and the filters that a cursor belongs to, as one text. */
export function scopeOf(
  path: string,
  sort: readonly object[],
  filter: Readonly<Record<string, readonly string[]>>,
): string {
  const filters = Object.entries(filter).map(([name, items]) => [name, items.toSorted()])
  return JSON.stringify([path, sort, filters.toSorted()])
}

/** Writes a cursor in the order of ids. It is no secret. A checksum binds it to its scope. */
export function encodeCursor(scope: string, id: string, limit: number): string {
  return encodeBase62(limit, utf8.encode(checksum(JSON.stringify([scope, limit, id])) + id))
}

/** Reads a cursor of {@link encodeCursor}. Undefined if it is none, or belongs to another scope. */
export function decodeCursor(scope: string, cursor: string): Position | undefined {
  const { limit, content } = decodeBase62(cursor) ?? {}
  const id = fromUtf8.decode(content?.subarray(checksumLength))
  // A valid cursor is the one that this position has in this scope. Anyone can make one, so the id may be any text.
  return limit !== undefined && isStorable(id) && encodeCursor(scope, id, limit) === cursor
    ? { keys: [id], limit }
    : undefined
}

/** Writes a cursor that holds values of attributes. It is sealed, because links end up in logs. */
export async function sealCursor(scope: string, { keys, limit }: Position, sealer: Sealer) {
  const sealed = await sealer.seal(JSON.stringify(keys), JSON.stringify([scope, limit]))
  return encodeBase62(limit, sealed)
}

/** Reads a cursor of {@link sealCursor}. Undefined if it is none, or belongs to another scope. */
export async function openCursor(
  scope: string,
  cursor: string,
  sealer: Sealer,
): Promise<Position | undefined> {
  const { limit, content } = decodeBase62(cursor) ?? {}
  const keys = content && (await sealer.open(content, JSON.stringify([scope, limit])))
  return keys === undefined || limit === undefined ? undefined : { keys: JSON.parse(keys), limit }
}

/** The page size in a cursor of any scope. Undefined if the text does not have the form of a cursor. */
export function cursorLimit(cursor: string): number | undefined {
  return decodeBase62(cursor)?.limit
}

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

const checksumLength = 7

/** FNV-1a, 32 bits, over UTF-16 code units, as text. */
function checksum(content: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < content.length; index++) {
    hash = Math.imul(hash ^ content.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(36).padStart(checksumLength, '0')
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Base62 is written in blocks, so that the work grows only with the length. Seven digits hold five bytes. */
const block = { bytes: 5, digits: 7 }

/** Writes a page size and bytes as letters and digits. A byte 1 marks their end, and zeros fill the last block. */
function encodeBase62(limit: number, content: Uint8Array): string {
  const bytes = [limit, ...content, 1, ...Array<number>(block.bytes - 1).fill(0)]
  let cursor = ''
  for (let at = 0; at < content.length + 2; at += block.bytes) {
    let number = bytes.slice(at, at + block.bytes).reduce((sum, byte) => sum * 256 + byte, 0)
    let digits = ''
    for (let count = 0; count < block.digits; count++) {
      digits = alphabet.charAt(number % 62) + digits
      number = Math.floor(number / 62)
    }
    cursor += digits
  }
  return cursor
}

/** Reads what {@link encodeBase62} has written. Undefined for any other text. */
function decodeBase62(cursor: string) {
  if (!/^(?:[0-9A-Za-z]{7})+$/.test(cursor)) {
    return undefined
  }
  const bytes: number[] = []
  for (let at = 0; at < cursor.length; at += block.digits) {
    const digits = [...cursor.slice(at, at + block.digits)]
    const number = digits.reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
    if (number >= 256 ** block.bytes) {
      return undefined
    }
    for (let power = block.bytes - 1; power >= 0; power--) {
      bytes.push(Math.floor(number / 256 ** power) % 256)
    }
  }
  const end = bytes.findLastIndex((byte) => byte !== 0)
  const isMarked = end > 0 && bytes[end] === 1 && end >= bytes.length - block.bytes
  return isMarked ? { limit: bytes[0], content: Uint8Array.from(bytes.slice(1, end)) } : undefined
}
