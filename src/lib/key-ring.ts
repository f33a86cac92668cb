import * as z from 'zod/mini'
import { fromBase64Url, toBase64Url } from './base64url.ts'

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
function derivedKeys(
  ring: KeyRing,
  purpose: string,
  kind: keyof typeof kinds,
): (id: string) => Promise<CryptoKey> {
  const info = utf8.encode(purpose)
  const { algorithm, usages } = kinds[kind]
  return preparedKeys(ring, async (bytes) => {
    const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
    return crypto.subtle.deriveKey(hkdf, secret, algorithm, false, usages)
  })
}

const utf8 = new TextEncoder()

/** Authenticates texts of one purpose (HMAC-SHA-256, RFC 2104). */
export interface Signer {
  /** The code of a text under the current key: 43 characters of base64url. */
  sign(text: string): Promise<string>
  /** Is this the code of the text under a key of the ring? The code may be any text that a caller has sent. */
  verify(text: string, code: string): Promise<boolean>
}

/**
 * Makes a signer whose keys are derived from a key ring (HKDF, RFC 5869), so that a code of one purpose is not valid for another.
 * Texts are signed under the current key. Codes under another key are valid as long as that key is in the ring.
 */
export function createSigner(ring: KeyRing, purpose: string): Signer {
  const keyOf = derivedKeys(ring, purpose, 'HMAC')
  return {
    async sign(text) {
      const code = await crypto.subtle.sign('HMAC', await keyOf(ring.current), utf8.encode(text))
      return toBase64Url(new Uint8Array(code))
    },
    async verify(text, code) {
      if (!/^[\w-]{43}$/.test(code)) {
        return false
      }
      const bytes = fromBase64Url(code)
      for (const id of ring.keys.keys()) {
        if (await crypto.subtle.verify('HMAC', await keyOf(id), bytes, utf8.encode(text))) {
          return true
        }
      }
      return false
    },
  }
}

/** Encrypts texts that callers carry but must not read or change (AES-256-GCM). */
export interface Sealer {
  /**
   * Seals a text. The same text in the same context gives the same bytes, so that an answer with a sealed text has the same
   * bytes each time.
   *
   * @param context names what the text belongs to; opening takes the same context
   */
  seal(text: string, context: string): Promise<Uint8Array<ArrayBuffer>>
  /** Opens a sealed text; undefined where it was not sealed by this service, for this purpose and context. */
  open(sealed: Uint8Array<ArrayBuffer>, context: string): Promise<string | undefined>
}

const nonceBytes = 12
const tagBytes = 16

/** The fewest bytes of a sealed text. */
export const leastSealed = nonceBytes + tagBytes

/**
 * Makes a sealer whose keys are derived from a key ring. Texts are sealed under the current key. A text that was sealed under
 * another key can be opened as long as that key is in the ring.
 *
 * The nonce is an HMAC-SHA-256 of text and context under a key of its own, cut to 96 bits. It is the same only where both are
 * the same, and reveals nothing of them without the key.
 */
export function createSealer(ring: KeyRing, purpose: string): Sealer {
  const { current, keys } = ring
  const sealing = derivedKeys(ring, purpose, 'AES-GCM')
  const naming = derivedKeys(ring, `${purpose}, nonce`, 'HMAC')
  const nonceOf = async (text: string, context: string) => {
    const named = utf8.encode(JSON.stringify([context, text]))
    const code = await crypto.subtle.sign('HMAC', await naming(current), named)
    return new Uint8Array(code, 0, nonceBytes)
  }
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: utf8.encode(context),
  })
  return {
    async seal(text, context) {
      const nonce = await nonceOf(text, context)
      const hidden = await crypto.subtle.encrypt(
        algorithm(nonce, context),
        await sealing(current),
        utf8.encode(text),
      )
      const sealed = new Uint8Array(nonceBytes + hidden.byteLength)
      sealed.set(nonce)
      sealed.set(new Uint8Array(hidden), nonceBytes)
      return sealed
    },
    async open(sealed, context) {
      const nonce = sealed.slice(0, nonceBytes)
      for (const id of keys.keys()) {
        try {
          const text = await crypto.subtle.decrypt(
            algorithm(nonce, context),
            await sealing(id),
            sealed.slice(nonceBytes),
          )
          return new TextDecoder().decode(text)
        } catch {
          // The text was sealed under another key of the ring, or not by this service.
        }
      }
      return undefined
    },
  }
}
