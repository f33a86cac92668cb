import { derivedKeys } from './derived-keys.ts'
import type { KeyRing } from './key-ring.ts'

/** Hides texts of one purpose from everybody, and from those who carry them (AES-256-GCM). */
export interface Sealer {
  /**
   * Seals a text. The same text in the same context has the same seal, so that an answer that holds it has the same bytes
   * each time.
   *
   * @param context what the text belongs to; the same is needed to open it
   */
  seal(text: string, context: string): Promise<Uint8Array<ArrayBuffer>>
  /** The text under a seal; undefined where it was not sealed here, for this purpose and context. */
  open(sealed: Uint8Array<ArrayBuffer>, context: string): Promise<string | undefined>
}

const nonceBytes = 12
const tagBytes = 16

/** The fewest bytes that a sealed text has. */
export const leastSealed = nonceBytes + tagBytes

const utf8 = new TextEncoder()

/**
 * Makes a sealer whose keys are derived from a key ring. A new current key seals what is sealed from then on; what was
 * sealed before opens as long as its key stays in the ring.
 *
 * The nonce is a code of text and context (HMAC-SHA-256 under a key of its own, cut to 96 bits): it repeats where both are
 * the same, and tells nothing of them to whoever lacks the key.
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
          // Sealed under another key of the ring, or not here at all.
        }
      }
      return undefined
    },
  }
}
