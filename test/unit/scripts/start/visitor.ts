import { createHash, randomUUID } from 'node:crypto'
import { clients, commandRedirectUri } from '../../../../scripts/lib/config.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../../../scripts/start/authorization-server.ts'
import { createSigningKey } from '../../../../scripts/start/keys.ts'

/** An authorization server on a free port for two people, one of whose names holds markup. */
export async function startServer(audience: string): Promise<AuthorizationServer> {
  return startAuthorizationServer({
    port: 0,
    audience,
    people: [
      { subject: '1', name: 'John Doe' },
      { subject: '2', name: '<Jane> & "Co"' },
    ],
    signingKey: await createSigningKey(),
  })
}

const request = {
  client_id: clients.app.id,
  response_type: 'code',
  redirect_uri: commandRedirectUri,
  scope: 'users.read',
  state: 'a-state',
  code_challenge: createHash('sha256').update(randomUUID()).digest('base64url'),
  code_challenge_method: 'S256',
}

/** Parameters to take the place of the usual ones; an empty one is left out. */
type Changes = Readonly<Record<string, string>>

/** One who asks the authorization server for a code, step by step. */
export type Visitor = ReturnType<typeof visitor>

/** Makes a visitor of the authorization server at the address `issuer`. */
export function visitor(issuer: string) {
  /** Asks `/authorize`. */
  function authorize(changes: Changes = {}) {
    const parameters = Object.entries({ ...request, ...changes }).filter(([, value]) => value)
    return fetch(`${issuer}/authorize?${new URLSearchParams(parameters)}`, { redirect: 'manual' })
  }

  /** The login page of a request just made, with the cookies that belong to it. */
  async function loginPage(changes: Changes = {}) {
    const response = await authorize(changes)
    const url = new URL(response.headers.get('Location') ?? '', issuer)
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    const options = { headers: { Cookie: cookies.join('; ') }, redirect: 'manual' } as const
    return {
      get: () => fetch(url, options),
      post: (form: Readonly<Record<string, string>>) =>
        fetch(url, { ...options, method: 'POST', body: new URLSearchParams(form) }),
      /** Follows the redirects of the page to the one that ends the request. */
      resume: (sent: Response) => fetch(sent.headers.get('Location') ?? '', options),
    }
  }

  return { authorize, loginPage }
}

/** The address that a response redirects to, and the parameters in it. */
export function redirected(response: Response) {
  const url = new URL(response.headers.get('Location') ?? '')
  return { to: url.origin + url.pathname, parameters: Object.fromEntries(url.searchParams) }
}
