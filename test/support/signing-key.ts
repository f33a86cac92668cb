import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** Who the service under test takes tokens from, and for whom they must be meant. */
export const issuer = 'https://issuer.example'
export const audience = 'https://api.example/jsonapi'
export const jwksUrl = `${issuer}/jwks`

/** An ES256 key pair made for this run: the public half as the issuer publishes it, the secret one for tests. */
export async function createSigningKey(): Promise<{ published: JWK; secret: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const about = { kid: 'test', alg: 'ES256', use: 'sig' }
  return {
    published: { ...(await exportJWK(publicKey)), ...about },
    secret: { ...(await exportJWK(privateKey)), ...about },
  }
}
