import { fromBase64Url, toBase64Url } from './base64url.ts'
import { derivedKeys, type KeyRing } from './key-ring.ts'

/** Authenticates texts of one purpose (HMAC-SHA-256, RFC 2104). */
export interface Signer {
  /** The code of a text under the current key: 43 characters of base64url. */
  sign(text: string): Promise<string>
  /** Is this the code of the text under a key of the ring? The code may be any text that a caller has sent. */
  verify(text: string, code: string): Promise<boolean>
}

const utf8 = new TextEncoder()

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
