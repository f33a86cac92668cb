import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { audience, issuer } from '../../../test/support/signing-key.ts'

/** Every scope of the service, between spaces. */
export const allScopes = 'users.read users.sensitive.read users.citizenships.read users.write'

/** What a token says; whatever is left out is as a good token of a person has it. */
interface TokenOptions {
  /** Subject; a client's token has none. */
  readonly sub?: string
  readonly scope?: string
  /** Seconds from now until it expires; an hour if absent. */
  readonly expiresIn?: number
  readonly claims?: JWTPayload
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs access tokens as the trusted issuer does. */
export type Sign = (options?: TokenOptions) => Promise<string>

/** An issuer with one key pair. */
export async function issuerOf(secret: JWK): Promise<Sign> {
  const key = await importJWK(secret, 'ES256')
  return ({ sub, scope, expiresIn = 3600, claims, header } = {}) => {
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss: issuer,
      aud: audience,
      client_id: 'reliability',
      iat: now,
      exp: now + expiresIn,
      ...(sub !== undefined && { sub }),
      ...(scope !== undefined && { scope }),
      ...claims,
    }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: String(secret.kid), typ: 'at+jwt', ...header })
      .sign(key)
  }
}
