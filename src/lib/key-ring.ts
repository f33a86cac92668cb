import * as z from 'zod/mini'
import { fromBase64Url } from './base64url.ts'

/** Keys of 32 bytes by id, and the id of the current one, which new values are made with. */
export interface KeyRing {
  readonly current: string
  readonly keys: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

const schema = z.strictObject({
  current: z.string(),
  keys: z.record(
    z.string().check(z.regex(/^[\w-]{1,32}$/)),
    z.string().check(z.regex(/^[\w-]{43}$/)),
  ),
})

/**
 * Reads a key ring: a JSON text with the keys by id (32 bytes as base64url) and the id of the current one.
 *
 * @param ring the secret `CARD_KEYS`
 * @throws Error when the ring is malformed; the message repeats nothing of it
 */
export function parseKeyRing(ring: string): KeyRing {
  let json: unknown
  try {
    json = JSON.parse(ring)
  } catch {
    throw new Error('The ring of card keys is not JSON')
  }
  const result = schema.safeParse(json)
  if (!result.success || !Object.hasOwn(result.data.keys, result.data.current)) {
    throw new Error(
      'The ring of card keys needs keys of 32 bytes by id, and the id of a current one',
    )
  }
  const { current, keys } = result.data
  const bytes = Object.entries(keys).map(([id, text]) => [id, fromBase64Url(text)] as const)
  return { current, keys: new Map(bytes) }
}

/**
 * Gives the function that prepares a key of a ring for use, by its id. Each key is prepared once.
 *
 * @param prepare imports or derives a key from its bytes
 * @returns a function that gives a key by its id, and throws an Error when the ring has no such key
 */
export function preparedKeys(
  { keys }: KeyRing,
  prepare: (bytes: Uint8Array<ArrayBuffer>) => Promise<CryptoKey>,
): (id: string) => Promise<CryptoKey> {
  const prepared = new Map<string, Promise<CryptoKey>>()
  return (id) => {
    const known = prepared.get(id)
    if (known) {
      return known
    }
    const bytes = keys.get(id)
    if (!bytes) {
      throw new Error(`The ring of card keys has no key ${id}`)
    }
    const key = prepare(bytes)
    prepared.set(id, key)
    return key
  }
}

/** The kinds of keys that are derived. */
const kinds: Readonly<Record<'HMAC' | 'AES-GCM', Kind>> = {
  HMAC: { algorithm: { name: 'HMAC', hash: 'SHA-256', length: 256 }, usages: ['sign', 'verify'] },
  'AES-GCM': { algorithm: { name: 'AES-GCM', length: 256 }, usages: ['encrypt', 'decrypt'] },
}

interface Kind {
  readonly algorithm: { name: string; hash?: string; length: number }
  readonly usages: ('sign' | 'verify' | 'encrypt' | 'decrypt')[]
}

/**
 * Gives the function that derives a key from a key of the ring, by its id (HKDF, RFC 5869). Each is derived once. Keys of different
 * purposes are independent of each other. The function throws an Error where the ring has no key with the id.
 */
export function derivedKeys(
  ring: KeyRing,
  purpose: string,
  kind: keyof typeof kinds,
): (id: string) => Promise<CryptoKey> {
  const info = new TextEncoder().encode(purpose)
  const { algorithm, usages } = kinds[kind]
  return preparedKeys(ring, async (bytes) => {
    const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
    return crypto.subtle.deriveKey(hkdf, secret, algorithm, false, usages)
  })
}
