import { once } from 'node:events'
import { createServer } from 'node:http'
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { audience, createSigningKey } from '../support/signing-key.ts'

/** Every scope of the service, between spaces. */
export const allScopes = 'users.read users.sensitive.read users.citizenships.read users.write'

/** What a token says; whatever is left out is as a good token has it. */
interface TokenOptions {
  /** Subject; a client's token has none. */
  readonly sub?: string
  readonly scope?: string
  /** Seconds from now until it expires; a day if absent. */
  readonly expiresIn?: number
  readonly claims?: JWTPayload
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs access tokens as the trusted issuer does, with ES256. */
export type Sign = (options?: TokenOptions) => Promise<string>

/** An issuer of tokens, and the address of its keys. */
export interface Issuer {
  /** The `iss` of its tokens. */
  readonly url: string
  readonly jwksUrl: string
  readonly sign: Sign
  readonly close: () => void
}

/** Signs tokens with a private key, which names itself. */
async function signerOf(secret: JWK, iss: string, aud: string): Promise<Sign> {
  const key = await importJWK(secret, 'ES256')
  return ({ sub, scope, expiresIn = 86_400, claims, header } = {}) => {
    const now = Math.floor(Date.now() / 1000)
    const about = { iss, aud, client_id: 'bench', iat: now, exp: now + expiresIn }
    const payload = { ...about, sub, scope, ...claims } as JWTPayload
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: String(secret.kid), typ: 'at+jwt', ...header })
      .sign(key)
  }
}

/** Starts an issuer with a key of its own. */
export async function startIssuer(): Promise<Issuer> {
  const { published, secret } = await createSigningKey()
  const server = createServer((_, response) => {
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ keys: [published] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    jwksUrl: `${url}/jwks`,
    sign: await signerOf(secret, url, audience),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
