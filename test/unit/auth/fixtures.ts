import type { TokenProfile } from '../../../src/auth/profiles.ts'
import { audience, issuer, startSeconds } from './issuer.ts'

/** A token as its issuer documents it, as far as claims may tell who calls. */
export interface Fixture {
  readonly name: string
  /** The profile of its issuer. */
  readonly profile: TokenProfile
  readonly claims: Readonly<Record<string, unknown>>
}

type Claims = Fixture['claims']
const fixture = (name: string, profile: TokenProfile, ...claims: readonly Claims[]): Fixture => {
  return { name, profile, claims: Object.assign({}, ...claims) }
}

/** The app client of Amazon Cognito, which is the audience of its tokens. */
export const appClient = '1example23456789'

/** The scopes of this service that a token has here, as most issuers write them. */
const scope = 'users.read users.write'
const scp = ['users.read', 'users.write']
const qualified = `${audience}/users.read ${audience}/users.write`

const times = { iat: startSeconds, exp: startSeconds + 300 }
const common = { iss: issuer, aud: audience, ...times }
const client = 'K1AUPhZq8mRi0Q0pjhkfu1D7y6KjDQja'
const person = '1f4db6ad-5e75-479c-b289-b8096ec1f4f4'
const [app, object] = [
  '00001111-aaaa-2222-bbbb-3333cccc4444',
  'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb',
]
const auth0 = { sub: 'auth0|6553da60a54af58e29493993' }
const cognito = { iss: issuer, ...times, token_use: 'access', client_id: appClient }
const entra = { ...common, nbf: startSeconds, oid: object }
const entraPerson = { ...entra, sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ', scp: scope }
const entraApp = { ...entra, sub: object, roles: ['reader'] }
const keycloak = { ...common, sub: person, typ: 'Bearer', azp: 'crawler' }
const okta = { ...common, cid: '0oabskvc6442nkvQO0h7', scp }
const authentik = { ...common, sub: 'a3f1'.repeat(16), azp: client, uid: 'kD8YzWc3', scope }
/** With the audience that a customizer of tokens adds. */
const spring = { ...common, aud: ['messaging-client', audience], nbf: startSeconds, scope: scp }

/** Tokens of persons: authorization code. */
export const persons: readonly Fixture[] = [
  fixture('Auth0, default profile', 'auth0', common, auth0, {
    ...{ aud: [audience, 'https://tenant.auth0.example/userinfo'], azp: client },
    scope: `openid profile ${scope}`,
  }),
  fixture('Auth0, RFC 9068 profile', 'auth0', common, auth0, { client_id: client, scope }),
  fixture('Amazon Cognito', 'cognito', cognito, {
    ...{ sub: person, username: 'my-test-user', scope: `openid ${qualified}` },
  }),
  fixture('Entra ID, version 1', 'entra', entraPerson, {
    ...{ appid: app, unique_name: 'live.com#ann@example.com' },
  }),
  // Which of these claims an API gets is a setting of Entra ID.
  ...[{ preferred_username: 'ann' }, { upn: 'ann' }, { idtyp: 'user' }].map((claim) =>
    fixture(
      `Entra ID, version 2, ${Object.keys(claim)}`,
      'entra',
      entraPerson,
      { azp: app },
      claim,
    ),
  ),
  fixture('Keycloak', 'keycloak', keycloak, {
    ...{ azp: 'app', preferred_username: 'alice', scope: `openid profile ${scope}` },
  }),
  fixture('Okta', 'okta', okta, { sub: 'ann@example.com', uid: '00uk1u7AsAk6dZL3z0g3' }),
  fixture('authentik', 'generic', authentik, { preferred_username: 'ann' }),
  fixture('Duende IdentityServer', 'generic', common, {
    ...{ client_id: 'web', sub: person, idp: 'local', scope: ['openid', ...scp] },
  }),
  fixture('Spring Authorization Server', 'generic', spring, { sub: 'ann' }),
]

/**
 * Tokens of machines: client credentials. They have scopes of this service wherever their issuer lets an administrator
 * grant them; Entra ID gives applications roles.
 */
export const machines: readonly Fixture[] = [
  fixture('Auth0, default profile', 'auth0', common, {
    ...{ sub: `${client}@clients`, azp: client, gty: 'client-credentials', scope },
  }),
  fixture('Auth0, RFC 9068 profile', 'auth0', common, {
    ...{ sub: `${client}@clients`, client_id: client, scope },
  }),
  fixture('Amazon Cognito', 'cognito', cognito, { sub: appClient, scope: qualified }),
  fixture('Entra ID, version 1', 'entra', entraApp, { appid: app, idtyp: 'app' }),
  fixture('Entra ID, version 2, idtyp not asked for', 'entra', entraApp, { azp: app }),
  fixture('Keycloak', 'keycloak', keycloak, {
    ...{ scope: `email profile ${scope}`, clientHost: '192.0.2.1', client_id: 'crawler' },
    preferred_username: 'service-account-crawler',
  }),
  fixture(
    'Keycloak, a client without the client scopes profile and service_account',
    ...(['keycloak', keycloak, { scope }] as const),
  ),
  fixture('Okta', 'okta', okta, { sub: okta.cid }),
  fixture('RFC 9068, sub is another name of the client', 'generic', common, {
    ...{ sub: 'nightly-import', client_id: 's6BhdRkqt3', scope },
  }),
  fixture('authentik, the service account of a provider', 'generic', authentik, {
    preferred_username: 'ak-users-client_credentials',
  }),
  fixture('Duende IdentityServer', 'generic', common, { client_id: 'nightly', scope: scp }),
  fixture('Spring Authorization Server, which names no client', 'generic', spring, {
    sub: 'messaging-client',
  }),
]
