import { once } from 'node:events'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** An issuer of tokens, and the address of its keys. */
export interface Issuer {
  /** The `iss` of its tokens. */
  readonly url: string
  readonly jwksUrl: string
  /** An access token for a person, signed with ES256, good for a day. */
  readonly token: (subject: string, scopes: string) => Promise<string>
  readonly close: () => void
}

/** The `aud` of all tokens. */
export const audience = 'https://bench.example/jsonapi'

/** Starts an issuer with a key of its own. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' }]
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    jwksUrl: `${url}/jwks`,
    token: (subject, scopes) =>
      new SignJWT({ scope: scopes, client_id: 'bench' })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
        .setIssuer(url)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime('1d')
        .sign(privateKey),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
