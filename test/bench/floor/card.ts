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

/** Bytes of base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
}
