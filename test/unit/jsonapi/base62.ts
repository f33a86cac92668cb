const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The bytes that Base62 text stands for: five for each seven digits. */
export function bytesOf(cursor: string): Uint8Array {
  const bytes = (cursor.match(/.{1,7}/g) ?? []).flatMap((digits) => {
    const number = [...digits].reduce(
      (sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)),
      0n,
    )
    return [4n, 3n, 2n, 1n, 0n].map((power) => Number((number >> (8n * power)) & 255n))
  })
  return Uint8Array.from(bytes)
}

/** Base62 text for any bytes, as many as fill its blocks. */
export function base62Of(bytes: Uint8Array): string {
  const numbers = Array.from({ length: bytes.length / 5 }, (_, block) =>
    bytes.subarray(5 * block, 5 * block + 5).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
  )
  return numbers.map((number) => digitsOf(number, 7)).join('')
}

function digitsOf(number: bigint, count: number): string {
  return count === 0
    ? ''
    : digitsOf(number / 62n, count - 1) + alphabet.charAt(Number(number % 62n))
}
