import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JWK } from 'jose'
import {
  errors,
  type Interaction,
  type InteractionResult,
  interactionPolicy,
  Provider,
} from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'
import { clients, paths, redirectUris, scopes, tokenLifetime } from '../lib/config.ts'
import { demoPeople as people } from './demo-people.ts'
import { signingKey } from './keys.ts'
import { loginPage, messagePage, type Person, pageHeaders } from './login-page.ts'

/** The port, the API, the people and the key of an authorization server. */
export interface AuthorizationServerOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** The API that tokens are for: the one resource that may be asked for (RFC 8707). */
  readonly audience: string
  readonly people: readonly Person[]
  /** A private JWK for ES256. */
  readonly signingKey: JWK
}

/** A running authorization server. */
export interface AuthorizationServer {
  readonly issuer: string
  close(): Promise<void>
}

/**
 * Starts the authorization server on 127.0.0.1: `/authorize`, `/token` and `/jwks` (contract,
 * section 3). Access tokens are JWTs of RFC 9068, signed with ES256.
 *
 * @throws the error of `listen` when the port cannot be had
 */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const server = createServer()
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')

  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const provider = new Provider(issuer, configuration(options))
  const answer = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) {
      return answer(request, response)
    }
    return signIn(provider, options.people, request, response).catch((error) => {
      console.error(error)
      response.destroy()
    })
  })

  return {
    issuer,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

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

function configuration({ audience, people, signingKey }: AuthorizationServerOptions): object {
  const { origin, pathname } = new URL(audience)
  return {
    adapter: createMemoryAdapter(),
    jwks: { keys: [signingKey] },
    clients: [
      {
        client_id: clients.machine.id,
        client_secret: clients.machine.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: clients.app.id,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: redirectUris(pathname),
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // The documentation's page asks for its token from the browser.
    clientBasedCORS: (_: unknown, from: string) => from === origin,
    cookies: { keys: [randomUUID()] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      // Tokens bound to a key are not plain bearer tokens, and the service takes no others.
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // Few tools in a browser can send `resource`, and there is only one.
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => {
          if (resource !== audience) {
            throw new errors.InvalidTarget(`there is only ${audience}`)
          }
          return {
            audience,
            scope: Object.keys(scopes).join(' '),
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
    },
    findAccount: (_: unknown, subject: string) =>
      people.some((person) => person.subject === subject) && {
        accountId: subject,
        claims: () => ({ sub: subject }),
      },
    interactions: { policy: alwaysAsk() },
    pkce: { required: () => true },
    renderError: (
      ctx: { set(headers: object): void; body: string },
      { error, error_description }: { error: string; error_description?: string },
    ) => {
      ctx.set(pageHeaders)
      ctx.body = messagePage('Sign-in failed', `${error}: ${error_description ?? 'no details'}`)
    },
    routes: { authorization: '/authorize', token: '/token', jwks: '/jwks' },
    ttl: {
      AccessToken: tokenLifetime,
      ClientCredentials: tokenLifetime,
      IdToken: tokenLifetime,
      Interaction: 600,
      Session: 600,
      Grant: 600,
    },
  }
}

/** Asks for the person at every sign-in, so that one person after the other can be tried. */
function alwaysAsk(): object {
  const { base, Check } = interactionPolicy
  const policy = base()
  policy
    .get('login')
    .checks.add(
      new Check('pick', 'a person is picked at every sign-in', ({ oidc }) => !oidc.result?.login),
    )
  return policy
}

/**
 * Answers `/interaction/{id}`: GET shows the login page, POST signs the picked person in and grants what was
 * asked for. A scope that nobody knows, or none at all, ends the sign-in with `invalid_scope` (RFC 6749,
 * section 3.3).
 */
async function signIn(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response).catch(() => undefined)
  if (!interaction) {
    send(
      response,
      400,
      messagePage('Too late', 'This sign-in is over. Start again where you came from.'),
    )
    return
  }
  const requested = interaction.params.scope?.split(' ') ?? []
  const unknown = requested.filter((scope) => scope !== 'openid' && !isKnown(scope))
  if (requested.length === 0 || unknown.length > 0) {
    const what = unknown.length > 0 ? `unknown: ${unknown.join(' ')}` : 'ask for at least one'
    await provider.interactionFinished(request, response, refused('invalid_scope', what))
  } else if (request.method === 'POST') {
    const form = new URLSearchParams(await text(request))
    const result = form.has('cancel')
      ? refused('access_denied', 'the sign-in was cancelled')
      : await granted(provider, interaction, people, form.get('person'))
    await provider.interactionFinished(request, response, result)
  } else {
    const wishes = requested.filter(isKnown).map((scope) => scopes[scope])
    send(response, 200, loginPage(interaction.params.client_id, wishes, people))
  }
}

async function granted(
  provider: Provider,
  { params }: Interaction,
  people: readonly Person[],
  subject: string | null,
): Promise<InteractionResult> {
  const person = people.find((one) => one.subject === subject)
  if (!person) {
    return refused('access_denied', 'there is no such person')
  }
  const grant = new provider.Grant({ accountId: person.subject, clientId: params.client_id })
  if (params.scope) {
    grant.addOIDCScope(params.scope)
    grant.addResourceScope(params.resource, params.scope)
  }
  return { login: { accountId: person.subject }, consent: { grantId: await grant.save() } }
}

function refused(error: string, description: string): InteractionResult {
  return { error, error_description: description }
}

function isKnown(scope: string): scope is keyof typeof scopes {
  return Object.hasOwn(scopes, scope)
}

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders).end(html)
}
