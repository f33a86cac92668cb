import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { scopes } from '../../scripts/lib/config.ts'
import { createSigningKey, type Sign, signerOf } from '../support/signing-key.ts'

/** Every scope of the service, between spaces. */
export const allScopes = Object.keys(scopes).join(' ')

/** An issuer of tokens, and the address of its keys. */
export interface Issuer {
  /** The `iss` of its tokens. */
  readonly url: string
  readonly jwksUrl: string
  /** Signs tokens that last a day. */
  readonly sign: Sign
  readonly close: () => void
}

/** Starts an issuer with a key of its own. */
export async function startIssuer(): Promise<Issuer> {
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
  return {
    url,
    jwksUrl: `${url}/jwks`,
    sign: (options) => sign({ iss: url, expiresIn: 86_400, client: 'bench', ...options }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
