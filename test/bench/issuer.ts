import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { about } from '../../src/resources/index.ts'
import { createSigningKey, type Sign, signerOf } from '../support/signing-key.ts'

/** Every scope of the service, between spaces. */
export const allScopes = Object.keys(about.scopes).join(' ')

/** An issuer of tokens, and the address of its keys. */
export type Issuer = Awaited<ReturnType<typeof startIssuer>>

/** Starts an issuer with a key of its own. */
export async function startIssuer() {
  const { published, secret } = await createSigningKey()
  const sign = await signerOf(secret)
  const server = createServer((_, response) => {
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ keys: [published] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signOwn: Sign = (options) =>
    sign({ iss: url, expiresIn: 86_400, client: 'bench', ...options })
  return {
    /** The `iss` of its tokens. */
    url,
    jwksUrl: `${url}/jwks`,
    /** Signs tokens that last a day. */
    sign: signOwn,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
