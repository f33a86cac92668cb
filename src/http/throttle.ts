import type { Context, Env, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import type { LimitVerdict } from '../rate-limit/bucket.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import { rateLimitHeaders, refusalText } from '../rate-limit/headers.ts'
import type { BucketNames } from '../rate-limit/name.ts'
import { isOverlong } from './bounds.ts'
import type { Price, Priced } from './price.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The name of the caller's bucket. */
    bucket: string
    /** The price of the request. */
    price: Price
    /** The verdict of the limiter, when it comes. Not set if the limiter is not asked. */
    admission: Promise<LimitVerdict>
    /** The verdict of the limiter. Set when the request is answered. */
    verdict: LimitVerdict
  }
}

/**
 * Runs last and sets `verdict`. Replaces the answer with a 429 if the limiter refused, otherwise adds the X-RateLimit headers. A
 * request without a valid token is charged here, to its address.
 *
 * @param least the price of a request without a valid token
 * @throws ApiError TOO_MANY_REQUESTS
 */
export function admit(
  limiter: RateLimiter,
  { ofAddress }: BucketNames,
  least: number,
): MiddlewareHandler<Env> {
  const chargeAddress = async (c: Context<Env>): Promise<void> => {
    const key = await ofAddress(c.req.header('CF-Connecting-IP'))
    c.set('admission', limiter.ask(key, least).verdict)
  }
  return async function admit(c, next) {
    await next()
    if (!c.get('principal') && c.error instanceof ApiError) {
      await chargeAddress(c)
    }
    const verdict = await c.get('admission')
    if (!verdict) {
      return
    }
    c.set('verdict', verdict)
    if (!verdict.allowed) {
      // Hono keeps the headers of an answer that another one replaces, and where no step has answered, there is no answer here.
      c.res = undefined
      throw tooManyRequests(verdict)
    }
    const { headers } = c.res
    for (const [name, value] of Object.entries(rateLimitHeaders(verdict))) {
      headers.set(name, value)
    }
  }
}

/**
 * Sets `bucket`. Ends the request if the isolate remembers a refusal of the caller, before anything of the request is read.
 * {@link admit} answers.
 *
 * @param least the least price of the request
 */
export function recallRefusal(
  limiter: RateLimiter,
  { ofCaller }: BucketNames,
  least: number,
): MiddlewareHandler<Env> {
  return async function recallRefusal(c, next) {
    const bucket = await ofCaller(c.get('principal'))
    const refusal = limiter.recall(bucket, least)
    if (refusal) {
      c.set('admission', Promise.resolve(refusal))
      return
    }
    c.set('bucket', bucket)
    await next()
  }
}

/** How the requests to a route are charged. */
export interface Charge {
  /** The least price, in tokens, which a request costs whose query string is too long to be read. */
  readonly least: number
  /** Gives the price of a request that has been read. */
  readonly price: (request: Priced) => Price
  /** Does the request wait for the verdict before its next step? */
  readonly waits: boolean
}

/**
 * Charges the caller, and sets `price` and `admission`. A write waits for the verdict here. A read goes on while the limiter is
 * asked, if the isolate knows of enough tokens. {@link admit} answers a refusal.
 */
export function throttle(
  limiter: RateLimiter,
  { least, price, waits }: Charge,
): MiddlewareHandler<Env> {
  return async function throttle(c, next) {
    const priced = isOverlong(c.get('target'))
      ? { tokens: least }
      : price({ query: c.get('query').sent, body: c.get('body') })
    c.set('price', priced)
    const { mayStart, verdict } = limiter.ask(c.get('bucket'), priced.tokens)
    c.set('admission', verdict)
    if ((mayStart && !waits) || (await verdict).allowed) {
      await next()
    }
  }
}

/** The error of a request that the limiter refuses. */
export function tooManyRequests(verdict: LimitVerdict): ApiError {
  return ApiError.of(
    'TOO_MANY_REQUESTS',
    refusalText(verdict),
    undefined,
    rateLimitHeaders(verdict),
  )
}
