import { ApiError, type ErrorCode } from '../jsonapi/problems.ts'

/** The parameters of a challenge by name. Without a token in the request there is no `error`. */
type Challenge = Readonly<Record<string, string | undefined>>

/** Creates a `WWW-Authenticate` value (RFC 6750, section 3), which has at least one parameter. */
function challenge(parameters: Challenge): string {
  const all = Object.entries({ realm: 'api', ...parameters })
  return `Bearer ${all
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${quotedString(value)}`))
    .join(', ')}`
}

/** Quotes a text for a header. Characters that a header may not hold become `?`. */
function quotedString(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`
}

/** Creates the 401 for a request without a token. */
export function noToken(resourceMetadata?: string): ApiError {
  const detail = 'This request needs the header Authorization with the value Bearer <token>.'
  return unauthorizedError('UNAUTHORIZED', detail, { resource_metadata: resourceMetadata })
}

/** Creates the 401 for a token that is refused. The detail must not repeat any part of the token. */
export function rejection(
  detail: string,
  resourceMetadata?: string,
  code: 'UNAUTHORIZED' | 'ACCESS_TOKEN_EXPIRED' = 'UNAUTHORIZED',
): ApiError {
  return unauthorizedError(code, detail, {
    error: 'invalid_token',
    error_description: detail,
    resource_metadata: resourceMetadata,
  })
}

/** Creates the `WWW-Authenticate` value of a 403 for scopes that the token lacks. */
export function insufficientScope(scope: readonly string[], resourceMetadata?: string): string {
  return challenge({
    error: 'insufficient_scope',
    error_description: 'The access token lacks a scope.',
    scope: scope.join(' '),
    resource_metadata: resourceMetadata,
  })
}

function unauthorizedError(code: ErrorCode, detail: string, parameters: Challenge): ApiError {
  const source = { header: 'Authorization' }
  return ApiError.of(code, detail, source, { 'WWW-Authenticate': challenge(parameters) })
}
