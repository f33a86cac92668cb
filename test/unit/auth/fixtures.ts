import type { TokenProfile } from '../../../src/auth/profiles.ts'
import { audience, issuer, startSeconds } from './issuer.ts'

/** A token as its issuer documents it. */
export interface Fixture {
  readonly name: string
  /** The profile of its issuer. */
  readonly profile: TokenProfile
  readonly claims: Readonly<Record<string, unknown>>
}

/** The app client of Amazon Cognito, which stands in its tokens in the audience's place. */
export const appClient = '1example23456789'

/** The scopes of this service that a token has here, as most issuers write them. */
const scope = 'users.read users.write'
const scp = ['users.read', 'users.write']
const qualified = `${audience}/users.read ${audience}/users.write`

const times = { iat: startSeconds, exp: startSeconds + 300 }
const common = { iss: issuer, aud: audience, ...times }
const client = 'K1AUPhZq8mRi0Q0pjhkfu1D7y6KjDQja'
const guid = {
  app: '00001111-aaaa-2222-bbbb-3333cccc4444',
  object: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb',
  tenant: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
  person: '1f4db6ad-5e75-479c-b289-b8096ec1f4f4',
}
const pairwise = 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ'
const cognito = { iss: issuer, ...times, version: 2, token_use: 'access', client_id: appClient }
const entra = { ...common, nbf: startSeconds, tid: guid.tenant, oid: guid.object }
const entraApp = { ...entra, sub: guid.object, roles: ['reader'] }
const keycloak = { ...common, sub: guid.person, typ: 'Bearer', azp: 'crawler', acr: '1' }
const okta = { ...common, ver: 1, jti: 'AT.example', cid: '0oabskvc6442nkvQO0h7' }
const authentik = {
  ...common,
  sub: 'a3f1'.repeat(16),
  azp: client,
  uid: 'kD8YzWc3',
  acr: 'default',
}

/** Tokens of persons: authorization code. */
export const persons: readonly Fixture[] = [
  {
    name: 'Auth0, default profile',
    profile: 'auth0',
    claims: {
      ...common,
      sub: 'auth0|6553da60a54af58e29493993',
      aud: [audience, 'https://tenant.auth0.example/userinfo'],
      azp: client,
      scope: `openid profile ${scope}`,
    },
  },
  {
    name: 'Auth0, RFC 9068 profile',
    profile: 'auth0',
    claims: {
      ...common,
      sub: 'auth0|6553da60a54af58e29493993',
      client_id: client,
      jti: 'j',
      scope,
    },
  },
  {
    name: 'Amazon Cognito',
    profile: 'cognito',
    claims: {
      ...cognito,
      sub: guid.person,
      'cognito:groups': ['testgroup'],
      username: 'my-test-user',
      scope: `openid ${qualified}`,
    },
  },
  {
    name: 'Entra ID, version 1',
    profile: 'entra',
    claims: {
      ...entra,
      sub: pairwise,
      appid: guid.app,
      amr: ['pwd'],
      name: 'Ann',
      unique_name: 'ann@example.com',
      upn: 'ann@example.com',
      scp: scope,
      ver: '1.0',
    },
  },
  {
    name: 'Entra ID, version 1, a guest',
    profile: 'entra',
    claims: {
      ...entra,
      sub: pairwise,
      appid: guid.app,
      unique_name: 'live.com#ann@example.com',
      scp: scope,
      ver: '1.0',
    },
  },
  {
    name: 'Entra ID, version 2, upn asked for',
    profile: 'entra',
    claims: { ...entra, sub: pairwise, azp: guid.app, upn: 'ann@example.com', scp: scope },
  },
  {
    name: 'Entra ID, version 2',
    profile: 'entra',
    claims: {
      ...entra,
      sub: pairwise,
      azp: guid.app,
      azpacr: '0',
      name: 'Ann',
      preferred_username: 'ann@example.com',
      scp: scope,
      ver: '2.0',
    },
  },
  {
    name: 'Entra ID, version 2, idtyp asked for persons too',
    profile: 'entra',
    claims: { ...entra, sub: pairwise, azp: guid.app, idtyp: 'user', scp: scope, ver: '2.0' },
  },
  {
    name: 'Keycloak',
    profile: 'keycloak',
    claims: {
      ...keycloak,
      azp: 'app',
      sid: 's',
      preferred_username: 'alice',
      scope: `openid profile ${scope}`,
    },
  },
  {
    name: 'Okta',
    profile: 'okta',
    claims: { ...okta, sub: 'ann@example.com', uid: '00uk1u7AsAk6dZL3z0g3', scp },
  },
  {
    name: 'RFC 9068',
    profile: 'generic',
    claims: { ...common, sub: '5ba552d67', client_id: 's6BhdRkqt3', jti: 'j', scope },
  },
  {
    name: 'an issuer that names no client in a person’s token',
    profile: 'generic',
    claims: { ...common, sub: 'ann', scope },
  },
  {
    name: 'authentik',
    profile: 'generic',
    claims: { ...authentik, sid: 's', amr: ['pwd'], preferred_username: 'ann', scope },
  },
]

/**
 * Tokens of machines: client credentials. They have scopes of this service wherever their issuer lets an administrator
 * grant them; Entra ID gives applications roles.
 */
export const machines: readonly Fixture[] = [
  {
    name: 'Auth0, default profile',
    profile: 'auth0',
    claims: { ...common, sub: `${client}@clients`, azp: client, gty: 'client-credentials', scope },
  },
  {
    name: 'Auth0, RFC 9068 profile',
    profile: 'auth0',
    claims: { ...common, sub: `${client}@clients`, client_id: client, jti: 'j', scope },
  },
  {
    name: 'Amazon Cognito',
    profile: 'cognito',
    claims: { ...cognito, sub: appClient, scope: qualified },
  },
  {
    name: 'Entra ID, version 1',
    profile: 'entra',
    claims: { ...entraApp, appid: guid.app, appidacr: '1', idtyp: 'app', ver: '1.0' },
  },
  {
    name: 'Entra ID, version 2',
    profile: 'entra',
    claims: { ...entraApp, azp: guid.app, azpacr: '1', idtyp: 'app', ver: '2.0' },
  },
  {
    name: 'Entra ID, version 2, idtyp not asked for',
    profile: 'entra',
    claims: { ...entraApp, azp: guid.app, azpacr: '1', ver: '2.0' },
  },
  {
    name: 'Keycloak',
    profile: 'keycloak',
    claims: {
      ...keycloak,
      scope: `email profile ${scope}`,
      clientHost: '192.0.2.1',
      clientAddress: '192.0.2.1',
      client_id: 'crawler',
      preferred_username: 'service-account-crawler',
    },
  },
  {
    name: 'Keycloak, a client without the client scopes profile and service_account',
    profile: 'keycloak',
    claims: { ...keycloak, scope },
  },
  { name: 'Okta', profile: 'okta', claims: { ...okta, sub: okta.cid, scp } },
  {
    name: 'RFC 9068',
    profile: 'generic',
    claims: { ...common, sub: 's6BhdRkqt3', client_id: 's6BhdRkqt3', jti: 'j', scope },
  },
  {
    name: 'RFC 9068, sub is another name of the client',
    profile: 'generic',
    claims: { ...common, sub: 'nightly-import', client_id: 's6BhdRkqt3', jti: 'j', scope },
  },
  {
    name: 'an issuer that gives machines no sub',
    profile: 'generic',
    claims: { ...common, client_id: 'm2m.client', scope },
  },
  {
    name: 'authentik, the service account of a provider',
    profile: 'generic',
    claims: { ...authentik, preferred_username: 'ak-users-client_credentials', scope },
  },
  {
    name: 'authentik, a scope mapping marks service accounts',
    profile: 'generic',
    claims: { ...authentik, preferred_username: 'importer', idtyp: 'app', scope },
  },
]
