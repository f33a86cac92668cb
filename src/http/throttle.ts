import type { MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import type { RateLimiter, Verdict } from '../rate-limit/client.ts'
import { rateLimitHeaders } from '../rate-limit/headers.ts'
import { bucketKey, costOf, type RateLimit } from '../rate-limit/policy.ts'
import type { AppEnv } from './context.ts'
import { errorResponse } from './errors.ts'

/**
 * 429 for a caller without tokens, and the four headers on every answer (contract, section 10). A read is
 * begun while the limiter is asked, and thrown away when it refuses; a write, and a request whose token was
 * refused, wait for it.
 */
export function throttle(limiter: RateLimiter, limit: RateLimit): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const identity = c.get('identity')
    const refused = identity instanceof ApiError
    const key = await bucketKey(refused ? undefined : identity, c.req.header('CF-Connecting-IP'))
    const asked = limiter(key, costOf(limit, c.req.method, c.req.query('include')))
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (isRead && !refused) {
      const [verdict] = await Promise.all([asked, next()])
      c.set('verdict', verdict)
      if (!verdict.allowed) {
        c.res = undefined
        c.res = errorResponse(c, tooMany(verdict))
      }
    } else {
      const verdict = await asked
      c.set('verdict', verdict)
      if (!verdict.allowed) {
        c.res = errorResponse(c, tooMany(verdict))
      } else if (refused) {
        c.res = errorResponse(c, identity)
      } else {
        await next()
      }
    }
    for (const [name, value] of Object.entries(rateLimitHeaders(c.get('verdict')))) {
      c.res.headers.set(name, value)
    }
  }
}

function tooMany({ cost, rate }: Verdict): ApiError {
  const detail = `The request costs ${cost} tokens; ${rate} are replenished a second.`
  return ApiError.of('TOO_MANY_REQUESTS', detail)
}
