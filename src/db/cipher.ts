import * as z from 'zod/mini'

/** Encrypts single values at rest (contract, section 4). */
export interface Cipher {
  /** @param context what the value belongs to; the same is needed to decrypt it */
  encrypt(text: string, context: string): Promise<string>
  /** @throws Error when the text was not encrypted here, for this context, under a key of the ring */
  decrypt(sealed: string, context: string): Promise<string>
}

const nonceBytes = 12

/** The key ring: a JSON text with the keys by id (32 bytes as base64url) and the id of the one that encrypts. */
const ringSchema = z.strictObject({
  current: z.string(),
  keys: z
    .catchall(z.object({}), z.string().check(z.regex(/^[\w-]{43}$/)))
    .check(z.refine((keys) => Object.keys(keys).every((id) => /^[\w-]{1,32}$/.test(id)))),
})

/**
 * AES-256-GCM under a ring of keys. A new key in the ring encrypts what is written from then on; what was
 * written before stays readable as long as its key stays. Format: `v1.<key id>.<nonce>.<ciphertext>`.
 *
 * @param ring the secret `CARD_KEYS`
 * @throws Error when the ring is malformed; the message holds nothing of it
 */
export function createCipher(ring: string): Cipher {
  const { current, keys } = parseRing(ring)
  const imported = new Map<string, Promise<CryptoKey>>()
  const keyOf = (id: string): Promise<CryptoKey> => {
    const bytes = Object.hasOwn(keys, id) ? keys[id] : undefined
    if (bytes === undefined) {
      throw new Error(`The ring of card keys has no key ${id}`)
    }
    const key =
      imported.get(id) ??
      crypto.subtle.importKey('raw', fromBase64Url(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])
    imported.set(id, key)
    return key
  }
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: new TextEncoder().encode(`v1|${context}`),
  })
  return {
    async encrypt(text, context) {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const bytes = await crypto.subtle.encrypt(
        algorithm(nonce, context),
        await keyOf(current),
        new TextEncoder().encode(text),
      )
      return `v1.${current}.${toBase64Url(nonce)}.${toBase64Url(new Uint8Array(bytes))}`
    },
    async decrypt(sealed, context) {
      const [version, id = '', nonce = '', bytes = ''] = sealed.split('.')
      if (version !== 'v1') {
        throw new Error('A sealed value has an unknown format')
      }
      const text = await crypto.subtle.decrypt(
        algorithm(fromBase64Url(nonce), context),
        await keyOf(id),
        fromBase64Url(bytes),
      )
      return new TextDecoder().decode(text)
    },
  }
}

function parseRing(ring: string): z.output<typeof ringSchema> {
  let json: unknown
  try {
    json = JSON.parse(ring)
  } catch {
    throw new Error('The ring of card keys is not JSON')
  }
  const result = ringSchema.safeParse(json)
  if (!result.success || !Object.hasOwn(result.data.keys, result.data.current)) {
    throw new Error(
      'The ring of card keys needs keys of 32 bytes by id, and the id of a current one',
    )
  }
  return result.data
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) {
    bytes[index] = binary.charCodeAt(index)
  }
  return bytes
}
