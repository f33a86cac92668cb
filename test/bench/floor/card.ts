import { base64url } from 'jose'

/** The bytes that a text of base64url spells. */
const bytesOf = (text: string) => new Uint8Array(base64url.decode(text))

let key: Promise<CryptoKey> | undefined

/** Opens a card number: AES-256-GCM, `v1.<key id>.<nonce>.<ciphertext>`, bound to the user. */
export async function openCard(sealed: string, userId: string, ring: string): Promise<string> {
  const [, id = '', nonce = '', ciphertext = ''] = sealed.split('.')
  key ??= crypto.subtle.importKey('raw', bytesOf(JSON.parse(ring).keys[id]), 'AES-GCM', false, [
    'decrypt',
  ])
  const algorithm = {
    name: 'AES-GCM',
    iv: bytesOf(nonce),
    additionalData: new TextEncoder().encode(`v1|users/${userId}/creditCardNumber`),
  }
  const opened = await crypto.subtle.decrypt(algorithm, await key, bytesOf(ciphertext))
  return new TextDecoder().decode(opened)
}
