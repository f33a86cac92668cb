import { fromBase64Url, toBase64Url } from '../lib/base64url.ts'
import { aesGcmWith, type KeyRing, nonceBytes, prepareKeys } from '../lib/key-ring.ts'

/** Encrypts single values for the database. A context names what a value belongs to, and decrypting needs the same one. */
export type Cipher = ReturnType<typeof createCipher>

const [utf8, fromUtf8] = [new TextEncoder(), new TextDecoder()]

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
      const bytes = await crypto.subtle.encrypt(
        aesGcmWith(nonce, `v1|${context}`),
        await getKey(current),
        utf8.encode(text),
      )
      return `v1.${current}.${toBase64Url(nonce)}.${toBase64Url(new Uint8Array(bytes))}`
    },
    /** @throws Error if the text is no ciphertext of this context under a key of the ring */
    async decrypt(sealed: string, context: string): Promise<string> {
      const [version, id = '', nonce = '', bytes = ''] = sealed.split('.')
      if (version !== 'v1') {
        throw new Error('A sealed value has an unknown format')
      }
      const text = await crypto.subtle.decrypt(
        aesGcmWith(fromBase64Url(nonce), `v1|${context}`),
        await getKey(id),
        fromBase64Url(bytes),
      )
      return fromUtf8.decode(text)
    },
  }
}
