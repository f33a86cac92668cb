import type { Context } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import type { Store } from '../jsonapi/run/store.ts'
import type { LimitVerdict, RateLimiter } from '../rate-limit/client.ts'
import type { BucketName } from '../rate-limit/name.ts'
import type { AppEnv, Step } from './context.ts'
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
 * Charges the address of a request whose token is refused, and waits for the verdict.
 *
 * @throws ApiError TOO_MANY_REQUESTS when the limiter refuses
 */
export function chargeAddress(
  limiter: RateLimiter,
  bucketName: BucketName,
  { least }: Charge,
): Step {
  return async (c) => {
    const key = await bucketName(undefined, c.req.header('CF-Connecting-IP'))
    c.set('admission', limiter.ask(key, least).verdict)
    await demandAdmission(c)
  }
}

/**
 * Charges the caller, and sets `price` and `admission` (contract, section 10). A refusal that is remembered ends the
 * request here. A read goes on while the limiter is asked, as far as the tokens last known suffice: {@link admitted} waits
 * for the verdict. A write waits for it here.
 *
 * @throws ApiError TOO_MANY_REQUESTS when the limiter refuses
 */
export function throttle(
  limiter: RateLimiter,
  bucketName: BucketName,
  { least, price, waits }: Charge,
): Step {
  return async (c) => {
    const key = await bucketName(c.get('principal'))
    const recalled = limiter.recall(key, least)
    if (recalled) {
      demandAllowed(c, recalled)
    }
    const priced = await price(c)
    c.set('price', priced)
    const { mayStart, verdict } = limiter.ask(key, priced.tokens)
    c.set('admission', verdict)
    if (waits || !mayStart) {
      await demandAdmission(c)
    }
  }
}

/**
 * Does what may begin before the verdict of the limiter. A refusal goes before whatever comes of it, an answer or an error.
 *
 * @throws ApiError TOO_MANY_REQUESTS when the limiter refuses, else what the work throws
 */
export async function admitted<Result>(
  c: Context<AppEnv>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } finally {
    // What this throws takes the place of what the work has returned or thrown.
    await demandAdmission(c)
  }
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
        await demandAdmission(c)
      }
      isFirst = false
      return store.read(reads)
    },
    write: store.write,
  }
}

/** Waits for the verdict of the limiter, sets `verdict`, and throws where it refuses. */
async function demandAdmission(c: Context<AppEnv>): Promise<void> {
  demandAllowed(c, await c.get('admission')())
}

function demandAllowed(c: Context<AppEnv>, verdict: LimitVerdict): void {
  c.set('verdict', verdict)
  if (!verdict.allowed) {
    const { cost, rate } = verdict
    const detail = `The price of this request is ${cost}: the bucket holds fewer tokens, and gains ${rate} a second.`
    throw ApiError.of('TOO_MANY_REQUESTS', detail)
  }
}
