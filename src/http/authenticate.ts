import type { Env, MiddlewareHandler } from 'hono'
import { insufficientScope } from '../auth/bearer.ts'
import type { Verify } from '../auth/token.ts'
import { allows, type Principal } from '../jsonapi/declare/access.ts'
import type { OperationRule } from '../jsonapi/declare/resource.ts'
import { ApiError, faultCodes, listed } from '../jsonapi/errors.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The caller; not set where the token is refused. */
    principal: Principal
  }
}

/** Verifies the access token, and sets `principal`. @throws ApiError the refusal of the token */
export function authenticate(verify: Verify): MiddlewareHandler<Env> {
  return async function authenticate(c, next) {
    c.set('principal', await verify(c.req.header('Authorization')))
    await next()
  }
}

/**
 * Refuses a token of the wrong kind, or without the scopes of the rule (contract, section 2).
 *
 * @throws ApiError INSUFFICIENT_ENTITLEMENTS
 */
export function entitle(
  { access }: OperationRule,
  resourceMetadata: string | undefined,
): MiddlewareHandler<Env> {
  const scopes = [...new Set(access.flatMap((alternative) => alternative.scopes ?? []))]
  return function entitle(c, next) {
    if (!allows(access, c.get('principal'), 'maybe')) {
      throw ApiError.of(
        faultCodes.forbidden,
        `This operation needs a person's token with scope ${listed(scopes)}.`,
        { header: 'Authorization' },
        { 'WWW-Authenticate': insufficientScope(scopes, resourceMetadata) },
      )
    }
    return next()
  }
}
