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

/** A cursor of any content with the right checksum, as a reader of the source can make it. */
export function forged(content: string): string {
  const sum = checksum(content).toString(36).padStart(7, '0')
  return spelled(new TextEncoder().encode(content + sum))
}

/** Any bytes, spelled as those of a cursor are. */
export function spelled(bytes: Uint8Array): string {
  const blocks = Array.from({ length: Math.ceil(bytes.length / 8) }, (_, block) =>
    bytes.subarray(block * 8, block * 8 + 8),
  )
  return blocks
    .map((block) => {
      const number = block.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
      return base62(number, digitsOf[block.length] ?? 0)
    })
    .join('')
}

/** A number in so many digits. */
export function base62(number: bigint, count: number): string {
  return count === 0 ? '' : base62(number / 62n, count - 1) + alphabet.charAt(Number(number % 62n))
}
