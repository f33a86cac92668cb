import type { Access, AccessRule } from '../jsonapi/declare/access.ts'

/** The names of the security schemes (contract, section 3). */
const schemeNames = {
  client: 'Client_Credentials',
  person: 'Authorization_Code_With_PKCE',
} as const

/** The security schemes of a service whose authorization server is at `authUrl` (OpenAPI 3.0.1, "Security Scheme Object"). */
export function securitySchemes(authUrl: string, scopes: Readonly<Record<string, string>>) {
  const tokenUrl = `${authUrl}/token`
  return {
    [schemeNames.person]: {
      type: 'oauth2',
      description: 'Tokens that stand for a person (RFC 7636, method S256): personalized data.',
      flows: {
        authorizationCode: { authorizationUrl: `${authUrl}/authorize`, tokenUrl, scopes },
      },
    },
    [schemeNames.client]: {
      type: 'oauth2',
      description: 'Tokens that stand for no person: non-personalized data.',
      flows: { clientCredentials: { tokenUrl, scopes: {} } },
    },
  }
}

/** The security requirements of a rule: alternatives (OpenAPI 3.0.1, "Security Requirement Object"). */
export function securityOf(rule: AccessRule): readonly object[] {
  return isOpen(rule)
    ? Object.values(schemeNames).map((name) => ({ [name]: [] }))
    : rule.map(({ scopes = [] }) => ({ [schemeNames.person]: scopes }))
}

/** Does any valid token satisfy the rule? */
export function isOpen(rule: AccessRule): boolean {
  return rule.some(({ scopes, owner }) => !scopes && !owner)
}

/** Whom a rule lets in, in words; empty where any valid token will do. */
export function whom(rule: AccessRule): string {
  return isOpen(rule) ? '' : rule.map(who).join(', or ')
}

function who({ scopes = [], owner }: Access): string {
  const names = scopes.map((scope) => `\`${scope}\``).join(' and ')
  return `${owner ? 'the owner' : 'a person'}${names && ` with ${names}`}`
}
