/** The profiles of issuers (contract, section 3). `generic` is for any issuer that follows RFC 9068. */
export const tokenProfiles = ['generic', 'auth0', 'cognito', 'entra', 'keycloak', 'okta'] as const

/** One of {@link tokenProfiles}. */
export type TokenProfile = (typeof tokenProfiles)[number]

/** The claims that name the client of a token. The first one that is there tells the id. */
export const clientClaims = ['client_id', 'azp', 'cid', 'appid'] as const

/** The claims in which the tokens of an issuer hold what this service reads, and by which a person's token is known. */
export interface ProfileRules {
  /** The claim that tells whom the token is meant for. */
  readonly audience: 'aud' | 'client_id'
  /** The claims that hold scopes; the first one that is there counts. */
  readonly scopes: readonly ('scope' | 'scp')[]
  /** Do scopes begin with the identifier of their resource server and a slash? */
  readonly qualified?: true
  /** A person's token has at least one claim of each list. A token that lacks them is a machine's. */
  readonly person: readonly (readonly string[])[]
}

/** The rules of each profile (contract, section 3). `docs/operations.md` says how to set up the issuers. */
export const profiles: Readonly<Record<TokenProfile, ProfileRules>> = {
  generic: { audience: 'aud', scopes: ['scope', 'scp'], person: [] },
  // The default profile of an API names the client in azp, the RFC 9068 profile in client_id.
  auth0: { audience: 'aud', scopes: ['scope'], person: [['azp', 'client_id']] },
  // The claim of the audience names the client, so that every token has it.
  cognito: { audience: 'client_id', scopes: ['scope'], qualified: true, person: [['username']] },
  // Version 2 names the client in azp, version 1 in appid. A person's token has idtyp where the API asks for it.
  entra: {
    audience: 'aud',
    scopes: ['scp'],
    person: [
      ['azp', 'appid'],
      ['idtyp', 'preferred_username', 'upn', 'unique_name'],
    ],
  },
  // The user name tells a service account from a person. A token without a user name may stand for either.
  keycloak: { audience: 'aud', scopes: ['scope'], person: [['azp'], ['preferred_username']] },
  okta: { audience: 'aud', scopes: ['scp'], person: [['cid'], ['uid']] },
}

/** The claims that can mark a token as a machine's. */
export interface Marks {
  readonly sub?: string | undefined
  readonly gty?: readonly string[] | undefined
  readonly idtyp?: string | undefined
  readonly preferred_username?: unknown
  readonly clientHost?: unknown
}

/** The beginning of the user names of Keycloak's service accounts. */
const serviceAccount = 'service-account-'

/** Does any claim mark the token as a machine's? The marks of every issuer count under every profile. */
export function isMarkedAsMachine({
  sub,
  gty,
  idtyp,
  preferred_username,
  clientHost,
}: Marks): boolean {
  return (
    // Auth0: gty in the default profile, the suffix of sub in both.
    gty?.includes('client-credentials') === true ||
    sub?.endsWith('@clients') === true ||
    // Entra ID: app or device marks a machine, user a person.
    (idtyp !== undefined && idtyp !== 'user') ||
    // Keycloak.
    sub?.startsWith(serviceAccount) === true ||
    (typeof preferred_username === 'string' && preferred_username.startsWith(serviceAccount)) ||
    clientHost !== undefined
  )
}
