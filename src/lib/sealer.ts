import { derivedKeys, type KeyRing } from './key-ring.ts'

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

const utf8 = new TextEncoder()

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
