import type { Context } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import type { Store } from '../jsonapi/run/store.ts'
import { type LimitVerdict, refusalText } from '../rate-limit/bucket.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import type { BucketName } from '../rate-limit/name.ts'
import type { AppEnv, Step } from './context.ts'
import type { Price } from './price.ts'
import { isOverlong } from './query.ts'

/** How the requests of one endpoint are charged. */
export interface Charge {
  /**
   * The least price of a request, in tokens. A request whose token is refused costs as much, and a remembered refusal that holds
   * for this price ends a request at once.
   */
  readonly least: number
  /** Gives the price of a request. For a write it reads the body. */
  readonly price: (c: Context<AppEnv>) => Price | Promise<Price>
  /** Does the request wait for the verdict before its next step? */
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
    c.set('admission', limiter.ask(key, least, c.get('withDeadline')).verdict)
    await demandAdmission(c)
  }
}

/**
 * Charges the caller, and sets `price` and `admission` (contract, section 10). A remembered refusal ends the request here. A read
 * goes on while the limiter is asked, if the tokens last known suffice, and {@link admitted} waits for the verdict. A write waits
 * for it here.
 *
 * @throws ApiError TOO_MANY_REQUESTS when the limiter refuses
 */
export function throttle(
  limiter: RateLimiter,
  bucketName: BucketName,
  { least, price, waits }: Charge,
): Step {
  return async (c) => {
    // To await what is there already takes a turn of the queue.
    const name = bucketName(c.get('principal'))
    const key = typeof name === 'string' ? name : await name
    const recalled = limiter.recall(key, least)
    if (recalled) {
      demandAllowed(c, recalled)
    }
    // A query string that is too long is not read, and neither is the body beside it.
    const pricing = isOverlong(c) ? { tokens: least } : price(c)
    const priced = pricing instanceof Promise ? await pricing : pricing
    c.set('price', priced)
    const { mayStart, verdict } = limiter.ask(key, priced.tokens, c.get('withDeadline'))
    c.set('admission', verdict)
    if (waits || !mayStart) {
      demandAllowed(c, await verdict())
    }
  }
}

/**
 * Runs work that may begin before the verdict of the limiter, and then waits for the verdict. A refusal takes the place of the
 * result or the error of the work.
 *
 * @throws ApiError TOO_MANY_REQUESTS when the limiter refuses; otherwise the error of the work
 */
export async function admitted<Result>(
  c: Context<AppEnv>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } finally {
    // An error that is thrown here replaces the result or the error of the work. Work that has waited for the verdict itself
    // went on because it was admitted.
    if (!c.get('verdict')?.allowed) {
      await demandAdmission(c)
    }
  }
}

/**
 * A store whose first read may run while the limiter is asked. Each later read, which is one more level of `include`, first waits
 * for the verdict, so that a refusal ends the request before it.
 */
export function admittedStore(c: Context<AppEnv>, store: Store): Store {
  let isFirst = true
  return {
    read(reads) {
      if (isFirst) {
        isFirst = false
        return store.read(reads)
      }
      return demandAdmission(c).then(() => store.read(reads))
    },
    write: store.write,
  }
}

/** Waits for the verdict of the limiter, and sets `verdict`. @throws ApiError TOO_MANY_REQUESTS when the limiter refuses */
async function demandAdmission(c: Context<AppEnv>): Promise<void> {
  demandAllowed(c, await c.get('admission')())
}

function demandAllowed(c: Context<AppEnv>, verdict: LimitVerdict): void {
  c.set('verdict', verdict)
  if (!verdict.allowed) {
    throw ApiError.of('TOO_MANY_REQUESTS', refusalText(verdict))
  }
}
