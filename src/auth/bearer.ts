import { ApiError, type ErrorCode } from '../jsonapi/errors.ts'

/** What every challenge tells about the service (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface ProtectedResource {
  /** The URL of the metadata of the protected resource. */
  readonly resourceMetadata?: string | undefined
}

/** The parameters of one `WWW-Authenticate: Bearer` challenge. `error` is absent where no token was sent. */
export interface Challenge extends ProtectedResource {
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  readonly scope?: readonly string[]
}

/** The longest access token that is read, in characters. */
export const maxTokenLength = 8 * 1024

/** The source of the error for a refused credential. */
const source = { header: 'Authorization' } as const

/** `Bearer` and one token68 (RFC 9110, section 11.2). A second credential after a comma does not match. */
const credential = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** `Bearer` with any text in the place of the token. */
const sentSomething = /^Bearer +[^ ]/i

/**
 * The token of an `Authorization` header value.
 *
 * @throws ApiError 401 `UNAUTHORIZED`, with `error="invalid_token"` only where a token was sent
 * (contract, section 3)
 */
export function bearerToken(
  header: string | null | undefined,
  resource: ProtectedResource = {},
): string {
  // A value that is longer than a token and its scheme is not matched against the pattern.
  if (header && header.length <= maxTokenLength + 64) {
    const token = credential.exec(header)?.[1]
    if (token !== undefined) {
      return token
    }
  }
  if (header && sentSomething.test(header)) {
    throw rejection('The Authorization header must hold exactly one Bearer token.', resource)
  }
  const detail = 'This request needs the header Authorization with the value Bearer <token>.'
  throw unauthorized('UNAUTHORIZED', detail, resource)
}

/** The 401 for a token that was sent and is refused. `detail` is a sentence, and must not repeat any part of the token. */
export function rejection(
  detail: string,
  resource: ProtectedResource = {},
  code: 'UNAUTHORIZED' | 'ACCESS_TOKEN_EXPIRED' = 'UNAUTHORIZED',
): ApiError {
  return unauthorized(code, detail, { ...resource, error: 'invalid_token', description: detail })
}

/** The `WWW-Authenticate` value of a 403 for scopes that the token lacks (RFC 6750, section 3.1). */
export function insufficientScope(
  scope: readonly string[],
  resource: ProtectedResource = {},
): string {
  return challenge({
    ...resource,
    error: 'insufficient_scope',
    description: 'The access token lacks a scope.',
    scope,
  })
}

/** A `WWW-Authenticate` value (RFC 6750, section 3; `resource_metadata` of RFC 9728). */
export function challenge(parts: Challenge): string {
  const parameters = [
    // RFC 6750 requires at least one parameter.
    ['realm', 'api'],
    ['error', parts.error],
    ['error_description', parts.description],
    ['scope', parts.scope?.join(' ')],
    ['resource_metadata', parts.resourceMetadata],
  ] as const
  return `Bearer ${parameters
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${quoted(value)}`))
    .join(', ')}`
}

function unauthorized(code: ErrorCode, detail: string, parts: Challenge): ApiError {
  return ApiError.of(code, detail, source, { 'WWW-Authenticate': challenge(parts) })
}

/** A quoted-string (RFC 9110, section 5.6.4). Characters that a header value may not hold become `?`. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`
}
