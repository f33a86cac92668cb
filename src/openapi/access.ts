import type { Access, AccessRule } from '../jsonapi/declare/resource.ts'

/** The names of the security schemes. */
const schemes = { client: 'Client_Credentials', person: 'Authorization_Code_With_PKCE' } as const

/** The security schemes of a service whose authorization server is at `authUrl` (OpenAPI 3.0.1, "Security Scheme Object"). */
export function securitySchemes(authUrl: string, scopes: Readonly<Record<string, string>>) {
  const tokenUrl = `${authUrl}/token`
  return {
    [schemes.person]: {
      type: 'oauth2',
      description: 'Tokens that stand for a person, for personal data (RFC 7636, method S256).',
      flows: {
        authorizationCode: { authorizationUrl: `${authUrl}/authorize`, tokenUrl, scopes },
      },
    },
    [schemes.client]: {
      type: 'oauth2',
      description: 'Tokens that stand for an application, for data that are not about a person.',
      flows: { clientCredentials: { tokenUrl, scopes: {} } },
    },
  }
}

/** The security requirements of a rule, one of which a caller must meet (OpenAPI 3.0.1, "Security Requirement Object"). */
export function securityOf(rule: AccessRule): readonly object[] {
  return isOpen(rule)
    ? Object.values(schemes).map((name) => ({ [name]: [] }))
    : rule.map(({ scopes = [] }) => ({ [schemes.person]: scopes }))
}

/** Will any valid token do? */
export function isOpen(rule: AccessRule): boolean {
  return rule.some(({ scopes, owner }) => !scopes && !owner)
}

/** The callers that a rule allows, in words; empty if it allows any valid token. */
export function callersOf(rule: AccessRule): string {
  return isOpen(rule) ? '' : rule.map(who).join(', or ')
}

function who({ scopes = [], owner }: Access): string {
  const names = scopes.map((scope) => `\`${scope}\``).join(' and ')
  return `${owner ? 'the owner' : 'a person'}${names && ` with ${names}`}`
}
