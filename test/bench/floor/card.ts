import { fromBase64Url } from '../../../src/lib/base64url.ts'

let key: Promise<CryptoKey> | undefined

/** Opens a card number: AES-256-GCM, `v1.<key id>.<nonce>.<ciphertext>`, bound to the user. */
export async function openCard(sealed: string, userId: string, ring: string): Promise<string> {
  const [, id = '', nonce = '', ciphertext = ''] = sealed.split('.')
  key ??= crypto.subtle.importKey(
    'raw',
    fromBase64Url(JSON.parse(ring).keys[id]),
    'AES-GCM',
    false,
    ['decrypt'],
  )
  const algorithm = {
    name: 'AES-GCM',
    iv: fromBase64Url(nonce),
    additionalData: new TextEncoder().encode(`v1|users/${userId}/creditCardNumber`),
  }
  const opened = await crypto.subtle.decrypt(algorithm, await key, fromBase64Url(ciphertext))
  return new TextDecoder().decode(opened)
}
