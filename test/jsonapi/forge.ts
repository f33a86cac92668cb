const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** How many Base62 digits hold so many bytes. */
const digitsOf = [0, 2, 3, 5, 6, 7, 9, 10, 11]

/** FNV-1a, 32 bits: what a cursor is summed with. */
export function checksum(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** A cursor of any content with the right checksum: what somebody can make who has read the source. */
export function forged(content: string): string {
  const sum = checksum(content).toString(36).padStart(7, '0')
  const bytes = new TextEncoder().encode(content + sum)
  const blocks = Array.from({ length: Math.ceil(bytes.length / 8) }, (_, block) =>
    base62(bytes.subarray(block * 8, block * 8 + 8)),
  )
  return blocks.join('')
}

function base62(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let digits = ''
  for (let count = digitsOf[bytes.length] ?? 0; count > 0; count--) {
    digits = alphabet.charAt(Number(number % 62n)) + digits
    number /= 62n
  }
  return digits
}
