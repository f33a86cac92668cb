const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const encoder = new TextEncoder()

/** The cursor after the row with this id, in the service's format. */
export function cursorAfter(scope: string, limit: number, id: string): string {
  const content = encoder.encode(checksum(JSON.stringify([scope, limit, id])) + id)
  const bytes = new Uint8Array(5 * Math.ceil((content.length + 2) / 5))
  bytes[0] = limit
  bytes.set(content, 1)
  bytes[content.length + 1] = 1
  let cursor = ''
  for (let at = 0; at < bytes.length; at += 5) {
    let number = 0
    for (let index = at; index < at + 5; index++) {
      number = number * 256 + (bytes[index] ?? 0)
    }
    let digits = ''
    for (let count = 0; count < 7; count++) {
      digits = alphabet.charAt(number % 62) + digits
      number = Math.floor(number / 62)
    }
    cursor += digits
  }
  return cursor
}

/** FNV-1a, 32 bits. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(36).padStart(7, '0')
}
