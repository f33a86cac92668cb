import { type KeyRing, preparedKeys } from './key-ring.ts'

/** The kinds of keys that are derived: for HMAC-SHA-256, or for AES-256-GCM. */
type Kind = 'HMAC' | 'AES-GCM'

const algorithms = {
  HMAC: { name: 'HMAC', hash: 'SHA-256', length: 256 },
  'AES-GCM': { name: 'AES-GCM', length: 256 },
} as const
const usages: Readonly<Record<Kind, ('sign' | 'verify' | 'encrypt' | 'decrypt')[]>> = {
  HMAC: ['sign', 'verify'],
  'AES-GCM': ['encrypt', 'decrypt'],
}

/**
 * Gives the function that derives a key from a key of the ring, by its id (HKDF, RFC 5869). Each is derived once. Keys of different
 * purposes are independent of each other. The function throws an Error where the ring has no key with the id.
 */
export function derivedKeys(
  ring: KeyRing,
  purpose: string,
  kind: Kind,
): (id: string) => Promise<CryptoKey> {
  return preparedKeys(ring, (bytes) => derive(bytes, purpose, kind))
}

async function derive(
  bytes: Uint8Array<ArrayBuffer>,
  purpose: string,
  kind: Kind,
): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
  const info = new TextEncoder().encode(purpose)
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
    secret,
    algorithms[kind],
    false,
    usages[kind],
  )
}
