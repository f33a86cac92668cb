import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../scripts/start/authorization-server.ts'
import { createSigningKey } from '../../scripts/start/keys.ts'
import { type BackDoor, variant } from './service.ts'

const audience = 'http://127.0.0.1/jsonapi'

/** A service that takes the tokens of an authorization server for the demo people, and that server, which the caller closes. */
export async function startAuthorizedService(): Promise<{
  readonly authorization: AuthorizationServer
  readonly service: BackDoor
}> {
  const authorization = await startAuthorizationServer(0, audience, await createSigningKey())
  const { issuer } = authorization
  const service = await variant({
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    JWKS_URL: `${issuer}/jwks`,
  })
  return { authorization, service }
}
