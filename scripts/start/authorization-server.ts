import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JWK } from 'jose'
import { errors, interactionPolicy, Provider } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'
import { about } from '../../src/resources/index.ts'
import { clients, paths, tokenLifetime } from '../lib/config.ts'
import { demoPeople } from './demo-people.ts'
import { signingKey } from './keys.ts'
import { loginPage, pageHeaders } from './login-page.ts'

/**
 * Starts the authorization server on 127.0.0.1: `/authorize`, `/token` and `/jwks` (contract,
 * section 3). The demo people sign in. Access tokens are JWTs of RFC 9068, signed with ES256.
 *
 * @param port 0 picks a free one
 * @param audience the API that tokens are for: the one resource that may be asked for (RFC 8707)
 * @param key a private JWK for ES256; that of this checkout if absent, which is kept, so that tokens outlive a restart
 * @throws the error of `listen` when the port cannot be had
 */
export async function startAuthorizationServer(port: number, audience: string, key?: JWK) {
  const jwk = key ?? (await signingKey(paths.signingKey))
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configuration(audience, jwk))
  const answer = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) {
      return answer(request, response)
    }
    return signIn(provider, request, response).catch((error) => {
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

function configuration(audience: string, key: JWK): object {
  const { origin, pathname } = new URL(audience)
  return {
    adapter: createMemoryAdapter(),
    jwks: { keys: [key] },
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
        // On any port of the loopback address (RFC 8252, section 7.3): for programs, and for the documentation's page.
        redirect_uris: [
          '/callback',
          `${pathname}/docs`,
          `${pathname}/docs/oauth2-redirect.html`,
        ].map((path) => `http://127.0.0.1${path}`),
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // The documentation's page asks for its token from the browser.
    clientBasedCORS: (_: unknown, from: string) => from === origin,
    cookies: { keys: [randomUUID()] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      // The service refuses tokens that are bound to a key.
      dPoP: { enabled: false },
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
            scope: Object.keys(about.scopes).join(' '),
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
    },
    findAccount: (_: unknown, subject: string) =>
      demoPeople.some((person) => person.subject === subject) && {
        accountId: subject,
        claims: () => ({ sub: subject }),
      },
    interactions: { policy: alwaysAsk() },
    pkce: { required: () => true },
    renderError: (ctx: { body: string }, out: { error: string; error_description?: string }) => {
      ctx.body = `Sign-in failed. ${out.error}: ${out.error_description ?? 'no details'}`
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

/** Asks for the person at every sign-in, whatever its session says, so that one person after the other can be tried. */
function alwaysAsk(): object {
  const policy = interactionPolicy.base()
  policy.get('login').checks.get('no_session').check = ({ oidc }: Asked) => !oidc.result?.login
  return policy
}

/** An interaction, as far as the policy looks at it. */
interface Asked {
  readonly oidc: { readonly result?: { readonly login?: object } }
}

/**
 * Answers `/interaction/{id}`: GET shows the login page, POST signs the picked person in and grants what was asked for, as far as the
 * service knows it.
 */
async function signIn(
  provider: InstanceType<typeof Provider>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const finish = (result: object) => provider.interactionFinished(request, response, result)
  const interaction = await provider.interactionDetails(request, response).catch(() => undefined)
  if (!interaction) {
    response.writeHead(400).end('This sign-in is over. Start again where you came from.')
    return
  }
  const { client_id: clientId, scope = '', resource } = interaction.params
  if (request.method !== 'POST') {
    const wishes = Object.entries(about.scopes).flatMap(([name, wish]) =>
      scope.split(' ').includes(name) ? [wish] : [],
    )
    response.writeHead(200, pageHeaders).end(loginPage(clientId, wishes))
    return
  }
  // Whoever cancels picks nobody.
  const accountId = new URLSearchParams(await text(request)).get('person')
  if (!demoPeople.some(({ subject }) => subject === accountId)) {
    return finish({ error: 'access_denied', error_description: 'no demo person was picked' })
  }
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(scope)
  grant.addResourceScope(resource, scope)
  return finish({ login: { accountId }, consent: { grantId: await grant.save() } })
}
