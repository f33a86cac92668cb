import { paths } from '../lib/config.ts'
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts'
import { demoPeople as people } from './demo.ts'
import { signingKey } from './keys.ts'

/**
 * Starts the authorization server of this checkout: the demo people sign in, and its key is kept, so that tokens outlive a restart.
 *
 * @param audience the API that tokens are for
 * @throws the error of `listen` when the port cannot be had
 */
export async function startLocalIssuer(
  port: number,
  audience: string,
): Promise<AuthorizationServer> {
  return startAuthorizationServer({
    port,
    audience,
    people,
    signingKey: await signingKey(paths.signingKey),
  })
}
