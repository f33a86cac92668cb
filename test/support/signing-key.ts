import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'

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

/** The content of a token. What is left out is as in a valid token. */
export interface TokenOptions {
  /** Subject; `undefined` leaves the claim out. */
  readonly sub?: string | undefined
  /** Scopes between spaces; absent unless given. */
  readonly scope?: string
  /** `client_id`; that of a client nobody else is, unless given. */
  readonly client?: string
  readonly iss?: string
  /** Seconds from now until the token expires; an hour if absent, since a run takes minutes on a busy machine. */
  readonly expiresIn?: number
  /** Further claims, or others in place of those above; an undefined one is left out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Further members of the header, or others. */
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs access tokens as a trusted issuer does. */
export type Sign = (options?: TokenOptions) => Promise<string>

/** Signs tokens with a key of {@link createSigningKey}. */
export async function signerOf(secret: JWK): Promise<Sign> {
  const key = await importJWK(secret, 'ES256')
  return ({ sub, scope, iss = issuer, expiresIn = 3_600, claims, header, ...options } = {}) => {
    const { client = `app-${crypto.randomUUID()}` } = options
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss,
      aud: audience,
      sub,
      client_id: client,
      scope,
      iat: now,
      exp: now + expiresIn,
      jti: crypto.randomUUID(),
      ...claims,
    }
    return new SignJWT(payload as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt', ...header })
      .sign(key)
  }
}
