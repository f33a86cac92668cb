import * as oauth from 'openid-client'
import { complaint } from '../lib/complaint.ts'
import { clients, commandRedirectUri } from '../lib/config.ts'

/**
 * An access token that stands for no person: client credentials (RFC 6749, section 4.4).
 *
 * @throws a complaint when the authorization server is not there or refuses
 */
export function clientToken(issuer: string): Promise<string> {
  return complaining(issuer, async () => {
    const { id, secret } = clients.machine
    const server = await discover(issuer, id, oauth.ClientSecretBasic(secret))
    const { access_token } = await oauth.clientCredentialsGrant(server)
    return access_token
  })
}

/**
 * An access token that stands for a person: authorization code with PKCE (RFC 7636), the login page
 * answered in the person's stead.
 *
 * @param scope separated by spaces; may be empty
 * @throws a complaint when the authorization server is not there or refuses
 */
export function personToken(issuer: string, person: string, scope: string): Promise<string> {
  return complaining(issuer, async () => {
    const server = await discover(issuer, clients.app.id, oauth.None())
    const verifier = oauth.randomPKCECodeVerifier()
    const state = oauth.randomState()
    const start = oauth.buildAuthorizationUrl(server, {
      redirect_uri: commandRedirectUri,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      // The server grants no fewer than one scope; this one means nothing to the service.
      scope: scope || 'openid',
    })
    const end = await signIn(start, person, commandRedirectUri)
    const { access_token } = await oauth.authorizationCodeGrant(server, end, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    })
    return access_token
  })
}

function discover(
  issuer: string,
  client: string,
  authentication: oauth.ClientAuth,
): Promise<oauth.Configuration> {
  return oauth.discovery(new URL(issuer), client, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
    timeout: 5,
  })
}

/**
 * Signs a person in as a browser would: picks them on the login page, and follows the redirects.
 *
 * @param start address at `/authorize`
 * @param target where the code is sent to
 * @returns the address that carries the code, which is not visited
 * @throws a complaint when the sign-in leads elsewhere
 */
export async function signIn(start: URL, person: string, target: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  for (let steps = 0; steps < 8; steps++) {
    const asked = url.pathname.startsWith('/interaction/')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(asked && { method: 'POST', body: new URLSearchParams({ person }) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('Location')
    if (!location) {
      throw complaint(`The sign-in stopped at ${url.pathname}: ${response.status}.`)
    }
    url = new URL(location, url)
    if (url.href.startsWith(target)) {
      return url
    }
  }
  throw complaint('The sign-in goes round in circles.')
}

async function complaining<T>(issuer: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (
      error instanceof oauth.ResponseBodyError ||
      error instanceof oauth.AuthorizationResponseError
    ) {
      const { error: code, error_description: description } = error
      throw complaint(
        `The authorization server refuses: ${code}${description ? ` (${description})` : ''}.`,
        error,
      )
    }
    if (error instanceof oauth.ClientError || error instanceof TypeError) {
      throw complaint(
        `No authorization server answers at ${issuer}: start it with npm start or npm run issuer, or set AUTH_PORT.`,
        error,
      )
    }
    throw error
  }
}
