import { createHash, randomBytes } from 'node:crypto'
import { complaint } from '../lib/complaint.ts'
import { clients, commandRedirectUri } from '../lib/config.ts'

/**
 * An access token that stands for no person: client credentials (RFC 6749, section 4.4).
 *
 * @throws a complaint when the authorization server is not there or refuses
 */
export function clientToken(issuer: string): Promise<string> {
  const { id, secret } = clients.machine
  const Authorization = `Basic ${btoa(`${id}:${secret}`)}`
  return tokenFor(issuer, { grant_type: 'client_credentials' }, { Authorization })
}

/**
 * An access token that stands for a person: authorization code with PKCE (RFC 7636), the login page
 * answered in the person's stead.
 *
 * @param scope separated by spaces; may be empty
 * @throws a complaint when the authorization server is not there or refuses
 */
export async function personToken(issuer: string, person: string, scope: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const request = {
    response_type: 'code',
    client_id: clients.app.id,
    redirect_uri: commandRedirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // The server grants no fewer than one scope; this one means nothing to the service.
    scope: scope || 'openid',
  }
  const start = new URL(`${issuer}/authorize?${new URLSearchParams(request)}`)
  const end = await signIn(start, person, commandRedirectUri)
  demandGranted(Object.fromEntries(end.searchParams))
  return tokenFor(issuer, {
    grant_type: 'authorization_code',
    client_id: clients.app.id,
    redirect_uri: commandRedirectUri,
    code: end.searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
}

/** Asks the authorization server for an access token. */
async function tokenFor(
  issuer: string,
  grant: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const request = { method: 'POST', headers, body: new URLSearchParams(grant) }
  const response = await ask(new URL(`${issuer}/token`), request)
  const answer = (await response.json().catch(() => ({}))) as Readonly<Record<string, string>>
  demandGranted(answer)
  if (answer.access_token === undefined) {
    throw otherServer(issuer)
  }
  return answer.access_token
}

/** Throws a complaint where the authorization server has refused (RFC 6749, section 5.2). */
function demandGranted({ error, error_description: why }: Readonly<Record<string, string>>): void {
  if (error !== undefined) {
    throw complaint(`The authorization server refuses: ${error} (${why ?? 'no details'}).`)
  }
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
    const response = await ask(url, {
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
      throw otherServer(url.origin)
    }
    url = new URL(location, url)
    if (url.href.startsWith(target)) {
      return url
    }
  }
  throw complaint('The sign-in goes round in circles.')
}

/** What is thrown where something else answers than the authorization server. */
function otherServer(origin: string): Error {
  return complaint(
    `What answers at ${origin} is not the authorization server: end it, or set AUTH_PORT to where npm start or npm run issuer has one.`,
  )
}

/** Asks the authorization server something. Throws a complaint where it does not answer. */
async function ask(url: URL, request: RequestInit): Promise<Response> {
  return fetch(url, request).catch((error) => {
    throw complaint(
      `No authorization server answers at ${url.origin}: start it with npm start or npm run issuer, or set AUTH_PORT.`,
      error,
    )
  })
}
