import { randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { about } from '../../src/resources/index.ts'
import { clients, type LocalConfig, paths, rootPath, tokenLifetime } from '../lib/config.ts'
import { signingKey } from './keys.ts'

/** The scopes of the token command: writing must be asked for. */
export const readScopes = Object.keys(about.scopes)
  .filter((scope) => scope !== 'users.write')
  .join(' ')

/** An access token that stands for no person, as client credentials give it. */
export function clientToken(config: LocalConfig): Promise<string> {
  const { id } = clients.machine
  return sign(config, { sub: id, client_id: id })
}

/**
 * An access token that stands for a person, as a sign-in gives it.
 *
 * @param scope separated by spaces; may be empty
 */
export function personToken(config: LocalConfig, person: string, scope: string): Promise<string> {
  return sign(config, { sub: person, client_id: clients.app.id, scope })
}

/** Signs a token with the key of the local authorization server (RFC 9068). */
async function sign({ origin, issuer }: LocalConfig, claims: JWTPayload): Promise<string> {
  const key = await signingKey(paths.signingKey)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: `${key.kid}` })
    .setIssuer(issuer)
    .setAudience(origin + rootPath())
    .setIssuedAt()
    .setExpirationTime(`${tokenLifetime} s`)
    .setJti(randomUUID())
    .sign(key)
}
