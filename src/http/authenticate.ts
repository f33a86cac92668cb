import type { Context } from 'hono'
import { bearerToken, insufficientScope, type ProtectedResource } from '../auth/bearer.ts'
import type { Verify } from '../auth/token.ts'
import { allows, type Principal } from '../jsonapi/access.ts'
import { ApiError } from '../jsonapi/errors.ts'
import type { OperationRule } from '../jsonapi/resource.ts'
import { listed } from '../jsonapi/validate.ts'
import type { AppEnv } from './context.ts'

/**
 * Tells who calls. A refusal, and a 500 where no keys are at hand, is not answered here: the address that sent it pays
 * for it first, so that it becomes a 429 when there are too many (contract, section 10).
 */
export function authenticate(
  verify: Verify,
  resource: ProtectedResource,
): (c: Context<AppEnv>) => Promise<void> {
  return async (c) => {
    try {
      const token = bearerToken(c.req.header('Authorization'), resource)
      c.set('identity', await verify(token))
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error
      }
      c.set('identity', error)
    }
  }
}

/** Refuses, with 403, what the token alone decides: its kind and its scopes (contract, section 2). */
export function entitle(
  { access }: OperationRule,
  resource: ProtectedResource,
): (c: Context<AppEnv>) => void {
  const scopes = [...new Set(access.flatMap((alternative) => alternative.scopes ?? []))]
  const detail = `This operation needs a person's token with scope ${listed(scopes)}.`
  const challenge = insufficientScope(scopes, resource)
  return (c) => {
    if (!allows(access, principalOf(c.get('identity')), 'maybe')) {
      throw ApiError.of(
        'INSUFFICIENT_ENTITLEMENTS',
        detail,
        { header: 'Authorization' },
        { 'WWW-Authenticate': challenge },
      )
    }
  }
}

/**
 * Who calls, where only callers with a valid token get.
 *
 * @throws ApiError the refusal of the token
 */
export function principalOf(identity: Principal | ApiError): Principal {
  if (identity instanceof ApiError) {
    throw identity
  }
  return identity
}
