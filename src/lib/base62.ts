const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The bytes of a block, and the Base62 digits that hold them. Blocks keep the work linear in the length. */
const blockBytes = 8
const digitsOf = [0, 2, 3, 5, 6, 7, 9, 10, 11]

/** Writes bytes as ASCII letters and digits. Bytes have exactly one spelling. */
export function encodeBase62(bytes: Uint8Array): string {
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
