import type { Context } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import type { RateLimiter, Verdict } from '../rate-limit/client.ts'
import type { BucketName } from '../rate-limit/name.ts'
import { costOf, isSafe, type RateLimit } from '../rate-limit/policy.ts'
import type { AppEnv } from './context.ts'

/**
 * Refuses, with 429, a caller without tokens (contract, section 10). A read goes on while the limiter is asked: what it
 * finds is answered only once it is {@link admitted}. A write, and a request whose token was refused, wait here.
 */
export function throttle(
  limiter: RateLimiter,
  limit: RateLimit,
  method: string,
  bucketName: BucketName,
): (c: Context<AppEnv>) => Promise<void> {
  const waits = !isSafe(method)
  return async (c) => {
    const identity = c.get('identity')
    const refused = identity instanceof ApiError
    const key = await (refused
      ? bucketName(undefined, c.req.header('CF-Connecting-IP'))
      : bucketName(identity))
    c.set('admission', limiter(key, costOf(limit, method, c.req.query('include'))))
    if (waits || refused) {
      await admitted(c)
    }
    if (refused) {
      throw identity
    }
  }
}

/**
 * The limiter's verdict on the request; undefined where it is not asked.
 *
 * @throws ApiError TOO_MANY_REQUESTS when it refuses
 */
export async function admitted(c: Context<AppEnv>): Promise<Verdict | undefined> {
  const verdict = await c.get('admission')?.()
  if (verdict && !verdict.allowed) {
    const detail = `The request costs ${verdict.cost} tokens; ${verdict.rate} are replenished a second.`
    throw ApiError.of('TOO_MANY_REQUESTS', detail)
  }
  return verdict
}
