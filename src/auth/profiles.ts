/** The issuers whose tokens this service can read. `generic` is any issuer that follows RFC 9068. */
export const tokenProfiles = ['generic', 'auth0', 'cognito', 'entra', 'keycloak', 'okta'] as const

/** One of {@link tokenProfiles}. */
export type TokenProfile = (typeof tokenProfiles)[number]

/** The claims that can name the client. The first one that is present counts. */
export const clientClaims = ['client_id', 'azp', 'cid', 'appid'] as const

/** How an issuer writes its tokens. */
export interface ProfileRules {
  /** The claim with the audience. */
  readonly audience: 'aud' | 'client_id'
  /** The claims that can hold the scopes. The first one that is present counts. */
  readonly scopes: readonly ('scope' | 'scp')[]
  /** Is each scope written as `<resource server>/<scope>`? */
  readonly qualified?: true
  /** A person's token has at least one claim of each list. A token without them is a machine's. */
  readonly person: readonly (readonly string[])[]
}

/** How each issuer writes its tokens. `docs/authorization-servers.md` says how to set up the issuers. */
export const profiles: Readonly<Record<TokenProfile, ProfileRules>> = {
  generic: { audience: 'aud', scopes: ['scope', 'scp'], person: [] },
  // The default profile of an API names the client in azp, the RFC 9068 profile in client_id.
  auth0: { audience: 'aud', scopes: ['scope'], person: [['azp', 'client_id']] },
  // The client is the audience, so every token names it.
  cognito: { audience: 'client_id', scopes: ['scope'], qualified: true, person: [['username']] },
  // Version 2 names the client in azp, version 1 in appid. A person's token has idtyp if the API asks for it.
  entra: {
    audience: 'aud',
    scopes: ['scp'],
    person: [
      ['azp', 'appid'],
      ['idtyp', 'preferred_username', 'upn', 'unique_name'],
    ],
  },
  // A person and a service account differ in their user names. Without one, a token can be of either.
  keycloak: { audience: 'aud', scopes: ['scope'], person: [['azp'], ['preferred_username']] },
  okta: { audience: 'aud', scopes: ['scp'], person: [['cid'], ['uid']] },
}
