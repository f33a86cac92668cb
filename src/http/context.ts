import type { Context } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import type { Session, Usage } from '../jsonapi/run/store.ts'
import type { WithDeadline } from '../lib/deadline.ts'
import type { LimitVerdict } from '../rate-limit/bucket.ts'
import type { Price } from './price.ts'
import type { RequestTarget, SentQuery } from './query.ts'
import type { ValidTransaction } from './transactions.ts'
import type { ValidRequest } from './validate.ts'

/** The variables that steps set on a request for later steps. */
interface Variables {
  /** Names the request in the answer (`X-Request-Id`) and in every log line. */
  requestId: string
  /** Waits by the timer of this request. */
  withDeadline: WithDeadline
  /** The name of the operation in the log: `users.get`, `users.relatives.addMany`. */
  operation: string
  /** The name of the page about the service in the log: `docs`, `oas`. */
  page: string | undefined
  /** The caller. */
  principal: Principal
  /** Set where the caller is blocked: is this the first request of a token that the isolate refuses, or has it refused it before? */
  blocked: 'first' | 'repeated' | undefined
  /** Waits for the verdict of the limiter. */
  admission: () => Promise<LimitVerdict>
  /** The verdict of the limiter; undefined until a step has waited for it. */
  verdict: LimitVerdict | undefined
  /** The path and the query string as they were sent; undefined until they are read. */
  requestTarget: RequestTarget | undefined
  /** The parameters of the query string; undefined until they are read. */
  query: SentQuery | undefined
  /** The price of the request. */
  price: Price
  /**
   * The body of a write, or why it could not be read. The price of the request depends on it. It is not set before a step has
   * read it, and never for an operation that takes no body.
   */
  body: ParsedBody
  /** The content of the request, all of which is valid. */
  valid: ValidRequest
  /** The content of a transaction, all of which is valid. */
  transaction: ValidTransaction
  /** The session of this request with the store. */
  session: Session
  /** What the request has cost the database so far; undefined until it may ask it. */
  usage: Readonly<Usage> | undefined
  /** The id of the resource that the request is about. */
  resourceId: string | undefined
}

/** The types of Hono for this service. Handlers use no bindings of the platform: they get what they need as arguments. */
export interface AppEnv {
  Variables: Variables
}

/** A step in answering a request. It sets variables for later steps, and throws the error that ends the request. */
export type Step = (c: Context<AppEnv>) => void | Promise<void>
