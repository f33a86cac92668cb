import type { Context } from 'hono'
import { insufficientScope, type ProtectedResource } from '../auth/bearer.ts'
import type { Verify } from '../auth/token.ts'
import { allows, type Principal } from '../jsonapi/declare/access.ts'
import type { OperationRule } from '../jsonapi/declare/resource.ts'
import { ApiError, faultCodes } from '../jsonapi/errors.ts'
import { listed } from '../jsonapi/wording.ts'
import type { AppEnv, Step } from './context.ts'

/**
 * Verifies the access token, and sets `principal`. The address of a caller whose token is refused, or cannot be verified for
 * want of keys, is charged first, so that too many of them end in a 429 (contract, section 10).
 *
 * @throws ApiError the refusal of the token, or TOO_MANY_REQUESTS
 */
export function authenticate(verify: Verify, chargeRefused: Step): Step {
  const refuse = async (c: Context<AppEnv>, error: unknown): Promise<never> => {
    if (error instanceof ApiError) {
      await chargeRefused(c)
    }
    throw error
  }
  return (c) => {
    const accept = (principal: Principal): void => c.set('principal', principal)
    try {
      const verified = verify(c.req.header('Authorization'))
      return verified instanceof Promise
        ? verified.then(accept, (error) => refuse(c, error))
        : accept(verified)
    } catch (error) {
      return refuse(c, error)
    }
  }
}

/** Makes the step that refuses a token of the wrong kind, or without the scopes of the rule, with 403 (contract, section 2). */
export function entitle({ access }: OperationRule, resource: ProtectedResource): Step {
  const scopes = [...new Set(access.flatMap((alternative) => alternative.scopes ?? []))]
  const detail = `This operation needs a person's token with scope ${listed(scopes)}.`
  const challenge = insufficientScope(scopes, resource)
  return (c) => {
    if (!allows(access, c.get('principal'), 'maybe')) {
      throw ApiError.of(
        faultCodes.forbidden,
        detail,
        { header: 'Authorization' },
        { 'WWW-Authenticate': challenge },
      )
    }
  }
}
