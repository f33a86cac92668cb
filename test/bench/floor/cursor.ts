const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const encoder = new TextEncoder()

/** The cursor after the row with these keys: the service's format, without big integers. */
export function cursorAfter(scope: string, limit: number, keys: readonly string[]): string {
  const text = JSON.stringify([checksum(scope), limit, ...keys])
  const bytes = encoder.encode(text + checksum(text).toString(36).padStart(7, '0'))
  let cursor = ''
  for (let start = 0; start < bytes.length; start += 8) {
    cursor += block(bytes, start)
  }
  return cursor
}

/** FNV-1a, 32 bits. */
function checksum(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

const digitsOf = [0, 2, 3, 5, 6, 7, 9, 10, 11]

/** Up to eight bytes in Base62, divided by hand as two halves of 32 bits. */
function block(bytes: Uint8Array, start: number): string {
  const length = Math.min(8, bytes.length - start)
  let high = 0
  let low = 0
  for (let index = 0; index < length; index++) {
    high = (high * 256 + (low >>> 24)) >>> 0
    low = ((low << 8) | (bytes[start + index] ?? 0)) >>> 0
  }
  let digits = ''
  for (let count = digitsOf[length] ?? 0; count > 0; count--) {
    const rest = (high % 62) * 2 ** 32 + low
    high = Math.floor(high / 62)
    digits = alphabet.charAt(rest % 62) + digits
    low = Math.floor(rest / 62)
  }
  return digits
}
