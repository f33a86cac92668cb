/** Makes a UUIDv7 (RFC 9562, section 5.7): a random UUID whose first 48 bits are the time, so later ids are greater. */
export function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
