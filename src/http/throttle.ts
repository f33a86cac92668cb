import type { Context } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import type { Store } from '../jsonapi/store.ts'
import type { RateLimiter, Verdict } from '../rate-limit/client.ts'
import type { BucketName } from '../rate-limit/name.ts'
import type { AppEnv } from './context.ts'
import type { Price } from './price.ts'

/** How the requests of one endpoint are charged. */
export interface Charge {
  /** The least that a request can cost, in tokens: what a refused token costs, and what no remembered refusal may lack. */
  readonly least: number
  /** The price of a request; of a write it reads the body. */
  readonly price: (c: Context<AppEnv>) => Price | Promise<Price>
  /** Does the request wait for the verdict before anything else is done? */
  readonly waits: boolean
}

/**
 * Refuses, with 429, a caller without tokens (contract, section 10). A refusal that is remembered ends the request here.
 * A read goes on while the limiter is asked, as far as the tokens last known suffice: what it finds is answered only once
 * it is {@link admitted}. A write, and a request whose token was refused, wait here.
 */
export function throttle(
  limiter: RateLimiter,
  bucketName: BucketName,
  { least, price, waits }: Charge,
): (c: Context<AppEnv>) => Promise<void> {
  return async (c) => {
    const identity = c.get('identity')
    const isRefused = identity instanceof ApiError
    const key = await (isRefused
      ? bucketName(undefined, c.req.header('CF-Connecting-IP'))
      : bucketName(identity))
    const recalled = limiter.recall(key, least)
    if (recalled) {
      c.set('admission', async () => recalled)
      throw refusal(recalled)
    }
    const priced = isRefused ? { tokens: least } : await price(c)
    c.set('price', priced)
    const { mayStart, verdict } = limiter.ask(key, priced.tokens)
    c.set('admission', verdict)
    if (waits || isRefused || !mayStart) {
      await admitted(c)
    }
    if (isRefused) {
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
    throw refusal(verdict)
  }
  return verdict
}

/**
 * A store whose first read may be under way while the limiter is asked. Each further one, which is a further level of
 * `include`, waits for the verdict: a refusal ends the request before it.
 */
export function admittedStore(c: Context<AppEnv>, store: Store): Store {
  let isFirst = true
  return {
    async read(reads) {
      if (!isFirst) {
        await admitted(c)
      }
      isFirst = false
      return store.read(reads)
    },
    write: store.write,
  }
}

function refusal({ cost, rate }: Verdict): ApiError {
  const detail = `This request costs ${cost} tokens, and the bucket holds fewer. It gains ${rate} tokens a second.`
  return ApiError.of('TOO_MANY_REQUESTS', detail)
}
