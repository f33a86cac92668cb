import { base64url } from 'jose'
import * as z from 'zod/mini'
import { lazy } from './cache.ts'

/** Keys of 32 bytes by id, and the id of the current one, which is used for everything new. */
export type KeyRing = Readonly<ReturnType<typeof parseKeyRing>>

const schema = z.strictObject({
  current: z.string(),
  keys: z.record(
    z.string().check(z.regex(/^[\w-]{1,32}$/)),
    z.string().check(z.regex(/^[\w-]{43}$/)),
  ),
})

const rule =
  'CARD_KEYS must be a key ring like {"current":"k1","keys":{"k1":"<32 bytes, base64url>"}}'

/**
 * Parses the secret `CARD_KEYS`: JSON with the keys by id, as base64url, and the id of the current one.
 *
 * @throws Error that says what is allowed. The message contains no part of it
 */
export function parseKeyRing(ring: string) {
  let json: unknown
  try {
    json = JSON.parse(ring)
  } catch {
    throw new Error(`${rule}, and is not JSON`)
  }
  const result = schema.safeParse(json)
  if (!result.success || !Object.hasOwn(result.data.keys, result.data.current)) {
    throw new Error(rule)
  }
  const { current, keys } = result.data
  const bytes = Object.entries(keys).map(([id, text]) => [id, bytesOf(text)] as const)
  return { current, keys: new Map(bytes) }
}

/**
 * Prepares the keys of a ring for use, each one when it is first needed.
 *
 * @param prepare imports or derives a key from its bytes
 * @returns gets a key by its id. It throws an Error if the ring has no such key
 */
function prepareKeys(
  { keys }: KeyRing,
  prepare: (bytes: Uint8Array<ArrayBuffer>) => Promise<CryptoKey>,
) {
  const prepared = new Map([...keys].map(([id, bytes]) => [id, lazy(() => prepare(bytes))]))
  return (id: string) => {
    const key = prepared.get(id)
    if (!key) {
      throw new Error(`The ring of card keys has no key ${id}`)
    }
    return key()
  }
}

const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
const aesGcm = { name: 'AES-GCM', length: 256 }

/** Derives keys for one purpose from the keys of a ring (HKDF), so that they are of no use for another purpose. */
function deriveKeys(
  ring: KeyRing,
  purpose: string,
  algorithm: typeof hmac | typeof aesGcm,
  usages: ('sign' | 'verify' | 'encrypt' | 'decrypt')[],
) {
  const hkdf = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encoder.encode(purpose),
  }
  return prepareKeys(ring, async (bytes) => {
    const secret = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
    return crypto.subtle.deriveKey(hkdf, secret, algorithm, false, usages)
  })
}

/** The bytes that a text of base64url spells, in a buffer that the platform's types accept. */
const bytesOf = (text: string) => new Uint8Array(base64url.decode(text))

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Creates a signer for one purpose (HMAC-SHA-256). Signatures with an old key are valid while the key is in the ring. */
export function createSigner(ring: KeyRing, purpose: string) {
  const getKey = deriveKeys(ring, purpose, hmac, ['sign', 'verify'])
  /** Signs a text with the current key. A signature is 32 bytes. */
  async function signature(text: string): Promise<Uint8Array<ArrayBuffer>> {
    const key = await getKey(ring.current)
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)))
  }
  return {
    signature,
    /** Signs a text with the current key. The signature is 43 characters of base64url. */
    sign: async (text: string) => base64url.encode(await signature(text)),
    /** Is this the signature of the text with a key of the ring? */
    async verify(text: string, signature: string): Promise<boolean> {
      const [bytes, signed] = [bytesOf(signature), encoder.encode(text)]
      const isValid = async (id: string): Promise<boolean> =>
        crypto.subtle.verify('HMAC', await getKey(id), bytes, signed)
      return (await Promise.all([...ring.keys.keys()].map(isValid))).includes(true)
    },
  }
}

/** The bytes of a nonce of AES-GCM. */
const nonceBytes = 12

/** AES-GCM with a key and a nonce. The context is what a text belongs to; decrypting needs the same one. */
function aesGcmWith(key: CryptoKey, iv: Uint8Array<ArrayBuffer>, context: string) {
  const algorithm = { name: 'AES-GCM', iv, additionalData: encoder.encode(context) }
  return {
    encrypt: async (text: string) =>
      new Uint8Array(await crypto.subtle.encrypt(algorithm, key, encoder.encode(text))),
    decrypt: async (bytes: Uint8Array<ArrayBuffer>) =>
      decoder.decode(await crypto.subtle.decrypt(algorithm, key, bytes)),
  }
}

/**
 * Creates a sealer for one purpose: it encrypts texts that callers carry but must not read or change (AES-256-GCM). What was sealed
 * with an old key can be opened while the key is in the ring.
 *
 * The nonce is a signature of text and context, cut to 96 bits: it repeats only if both are the same.
 */
export function createSealer(ring: KeyRing, purpose: string) {
  const getKey = deriveKeys(ring, purpose, aesGcm, ['encrypt', 'decrypt'])
  const nonces = createSigner(ring, `${purpose}, nonce`)
  return {
    /**
     * Encrypts a text with the current key. The same text in the same context gives the same bytes.
     *
     * @param context what the text belongs to; needed again to open it
     */
    async seal(text: string, context: string): Promise<Uint8Array<ArrayBuffer>> {
      const signature = await nonces.signature(JSON.stringify([context, text]))
      const nonce = signature.slice(0, nonceBytes)
      const { encrypt } = aesGcmWith(await getKey(ring.current), nonce, context)
      return new Uint8Array([...nonce, ...(await encrypt(text))])
    },
    /** Decrypts a text; undefined if it was not sealed by this service in this context. */
    open(sealed: Uint8Array<ArrayBuffer>, context: string): Promise<string | undefined> {
      const [nonce, bytes] = [sealed.slice(0, nonceBytes), sealed.slice(nonceBytes)]
      const openWith = async (id: string): Promise<string> =>
        aesGcmWith(await getKey(id), nonce, context).decrypt(bytes)
      return Promise.any([...ring.keys.keys()].map(openWith)).catch(() => undefined)
    },
  }
}

/** Encrypts and decrypts texts for one purpose. */
export type Sealer = ReturnType<typeof createSealer>

/** Encrypts single values for the database. A context names what a value belongs to, and decrypting needs the same one. */
export type Cipher = ReturnType<typeof createCipher>

/**
 * Makes a cipher: AES-256-GCM under a ring of keys. Values are encrypted under the current key. A value that was encrypted
 * under another key can be decrypted as long as that key is in the ring. Format: `v1.<key id>.<nonce>.<ciphertext>`.
 */
export function createCipher(ring: KeyRing) {
  const { current } = ring
  const getKey = prepareKeys(ring, (bytes) =>
    crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
  )
  return {
    async encrypt(text: string, context: string): Promise<string> {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const { encrypt } = aesGcmWith(await getKey(current), nonce, `v1|${context}`)
      return `v1.${current}.${base64url.encode(nonce)}.${base64url.encode(await encrypt(text))}`
    },
    /** @throws Error if the text is no ciphertext of this context under a key of the ring */
    async decrypt(sealed: string, context: string): Promise<string> {
      const [version, id = '', nonce = '', bytes = ''] = sealed.split('.')
      if (version !== 'v1') {
        throw new Error('A sealed value has an unknown format')
      }
      return aesGcmWith(await getKey(id), bytesOf(nonce), `v1|${context}`).decrypt(bytesOf(bytes))
    },
  }
}
