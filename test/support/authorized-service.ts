import { afterAll } from 'vitest'
import { startAuthorizationServer } from '../../scripts/start/authorization-server.ts'
import { createSigningKey } from '../../scripts/start/keys.ts'
import { variant } from './service.ts'

const audience = 'http://127.0.0.1/jsonapi'

/** A service that takes the tokens of an authorization server for the demo people, whose address is `issuer`, while the tests of a file run. */
export async function startAuthorizedService() {
  const { issuer, close } = await startAuthorizationServer(0, audience, await createSigningKey())
  afterAll(close)
  const service = await variant({
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    JWKS_URL: `${issuer}/jwks`,
  })
  return { issuer, ...service }
}
