import type { Context } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import type { Session } from '../jsonapi/run/store.ts'
import type { LimitVerdict } from '../rate-limit/client.ts'
import type { Price } from './price.ts'
import type { SentQuery } from './query.ts'
import type { ValidTransaction } from './transactions.ts'
import type { ValidRequest } from './validate.ts'

/** What a request carries on its way through the middleware. */
interface Variables {
  /** Names the request in the answer (`X-Request-Id`) and in every log line. */
  requestId: string
  /** The operation, as the log tells it: `users.get`, `users.relatives.addMany`. */
  operation: string
  /** The page about the service that is asked for, as the log tells it: `docs`, `oas`. */
  page: string | undefined
  /** Who calls. */
  principal: Principal
  /** Waits for what the limiter says to the request. */
  admission: () => Promise<LimitVerdict>
  /** What the limiter has said; absent as long as nobody has waited for it. */
  verdict: LimitVerdict | undefined
  /** The query string, once it is read. */
  query: SentQuery | undefined
  /** What the request costs. */
  price: Price
  /** The body of a write, as far as it could be read: its price depends on it. */
  body: ParsedBody
  /** What the request says, once all of it is valid. */
  valid: ValidRequest
  /** What a transaction says, once all of it is valid. */
  transaction: ValidTransaction
  /** The store as this request uses it. */
  session: Session
  /** The id of the resource that the request is about. */
  resourceId: string | undefined
}

/** Hono's types of this service. Bindings never reach a handler: everything it needs is handed to it. */
export interface AppEnv {
  Variables: Variables
}

/** A step on the way of a request to its answer: it throws what ends the request, and sets what later steps need. */
export type Step = (c: Context<AppEnv>) => void | Promise<void>
