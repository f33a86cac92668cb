import { createHash, randomBytes } from 'node:crypto'
import { on, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// PORT and AUTH_PORT are those of npm start.
const { PORT = '8787', AUTH_PORT = '9400' } = process.env
const { API_URL, AUTH_URL = `http://127.0.0.1:${AUTH_PORT}` } = process.env

/** The root path of the API: its address, without a slash at the end. */
export const api = API_URL ?? `http://127.0.0.1:${PORT}/jsonapi`

/** The two clients that `npm start` registers with its authorization server. */
const machine = { id: 'local-machine', secret: 'local-machine-secret' }
const app = { id: 'local-app', scope: 'users.read users.citizenships.read users.write' }

/** A token that stands for no person, by client credentials (RFC 6749, section 4.4). */
export function machineToken(): Promise<string> {
  const credentials = btoa(`${machine.id}:${machine.secret}`)
  return token({ grant_type: 'client_credentials' }, { Authorization: `Basic ${credentials}` })
}

/**
 * A token of the person who signs in, by authorization code with PKCE (RFC 7636). Prints the address that the person opens
 * in a browser; from there the code comes to a port of this machine (RFC 8252, section 7.3).
 */
export async function personToken(): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: app.id,
    redirect_uri: redirect,
    scope: app.scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  try {
    console.log(`Sign in at ${AUTH_URL}/authorize?${request}`)
    return await token({
      grant_type: 'authorization_code',
      client_id: app.id,
      redirect_uri: redirect,
      code: await codeFrom(server, state),
      code_verifier: verifier,
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** The code that the browser brings. Whatever does not carry the state of this sign-in is not meant for it. */
async function codeFrom(server: Server, state: string): Promise<string> {
  const visits = on(server, 'request') as AsyncIterable<[IncomingMessage, ServerResponse]>
  for await (const [{ url = '/' }, response] of visits) {
    const { searchParams: sent } = new URL(url, 'http://127.0.0.1')
    if (sent.get('state') !== state) {
      response.writeHead(404).end()
      continue
    }
    await new Promise<void>((resolve) => response.end('You can close this page.', resolve))
    const code = sent.get('code')
    if (code === null) {
      throw new Error(`The sign-in failed: ${sent.get('error_description') ?? sent.get('error')}`)
    }
    return code
  }
  throw new Error('Nobody has signed in.')
}

/** Asks the authorization server for an access token. */
async function token(
  grant: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new URLSearchParams(grant)
  const response = await fetch(`${AUTH_URL}/token`, { method: 'POST', headers, body })
  const answer = (await response.json()) as { access_token?: string; error_description?: string }
  if (answer.access_token === undefined) {
    throw new Error(`There is no token: ${answer.error_description ?? response.status}`)
  }
  return answer.access_token
}
