import type { Env, Handler, Hono, MiddlewareHandler } from 'hono'
import type { Verify } from '../auth/token.ts'
import { atomicExtension, operationsPath, transactionRule } from '../jsonapi/atomic/extension.ts'
import { acceptsBody, hasId, isRead, operations } from '../jsonapi/declare/operation.ts'
import {
  type Endpoint,
  endpointName,
  endpointPath,
  endpointsOf,
} from '../jsonapi/declare/registry.ts'
import type { OperationRule } from '../jsonapi/declare/resource.ts'
import { queryRules } from '../jsonapi/request/parameters.ts'
import { queryReader } from '../jsonapi/request/query.ts'
import type { SessionStore } from '../jsonapi/run/store.ts'
import { lazy } from '../lib/kept.ts'
import type { Signer } from '../lib/key-ring.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import type { BucketNames } from '../rate-limit/name.ts'
import type { RateLimit } from '../rate-limit/policy.ts'
import {
  answerRead,
  answerTransaction,
  answerWrite,
  type Operating,
  openSession,
} from './answers.ts'
import { authenticate, entitle } from './authenticate.ts'
import { boundQuery, readBody, readTarget } from './bounds.ts'
import { type CallerName, refuseBlocked } from './callers.ts'
import { demandJsonApi, negotiate } from './negotiate.ts'
import { otherMethods } from './paths.ts'
import {
  leastPrice,
  type Price,
  type Priced,
  readPrice,
  transactionPrice,
  writePrice,
} from './price.ts'
import { refuseWrite } from './read-only.ts'
import { admit, recallRefusal, throttle } from './throttle.ts'
import { named } from './trace.ts'
import { judgePath, validate, validateTransaction } from './validate.ts'

/** Everything that is needed to answer requests. */
export interface Services extends Operating {
  readonly store: SessionStore
  readonly verify: Verify
  readonly callerName: CallerName
  /** The names in the log of callers who are refused. */
  readonly blockedCallers: ReadonlySet<string>
  /** Are writes refused (contract, section 22)? */
  readonly readOnly?: boolean | undefined
  /** The URL of the service's metadata, which challenges name. */
  readonly resourceMetadata?: string | undefined
  readonly bucketNames: BucketNames
  readonly limiter: RateLimiter
  readonly limit: RateLimit
  /** Makes the fingerprints of requests with an `Idempotency-Key` (contract, section 12). */
  readonly fingerprints: Signer
}

/** What differs between routes. */
interface Route {
  readonly method: string
  /** The path below the root. */
  readonly path: string
  /** The name of the operation in the log. */
  readonly name: string
  /** Who may call it. */
  readonly rule: OperationRule
  readonly reads: boolean
  readonly acceptsBody: boolean
  /** The extension of JSON:API that bodies and answers have. */
  readonly extension?: string
  /** Gives the price of a request that has been read. */
  readonly price: (request: Priced) => Price
  readonly validate: readonly MiddlewareHandler<Env>[]
  readonly answer: Handler<Env>
}

/**
 * Adds a route for every endpoint, and one for transactions, all with the same steps in the order of the contract, section 2. What
 * takes time to make, such as schemas and prices, is made at the first request to a route.
 */
export function addRoutes(app: Hono<Env>, services: Services): void {
  const { registry, root, sealer, store, limit, fingerprints } = services
  const { verify, callerName, blockedCallers, readOnly, resourceMetadata, bucketNames, limiter } =
    services
  const operating: Operating = { registry, root, sealer }
  const routes = endpointsOf(registry).map((endpoint) =>
    endpointRoute(endpoint, operating, limit, fingerprints),
  )
  const transactions = transactionRoutes(operating, limit, fingerprints)
  for (const route of [...routes, ...transactions]) {
    const { method, path, name, rule, reads, acceptsBody, extension, price } = route
    const least = leastPrice(limit, reads ? limit.readCost : limit.writeCost)
    app.on(
      method,
      root + path,
      named(name),
      negotiate(extension), // 406
      admit(limiter, bucketNames, least), // 429, also in place of what comes after it
      authenticate(verify), // 401
      ...(blockedCallers.size > 0 ? [refuseBlocked(blockedCallers, callerName)] : []), // 403
      recallRefusal(limiter, bucketNames, least), // 429
      readTarget,
      ...(acceptsBody ? [readBody] : []),
      throttle(limiter, { least, price, waits: !reads }), // 429
      entitle(rule, resourceMetadata), // 403
      ...(readOnly && !reads ? [refuseWrite] : []), // 500
      ...(acceptsBody ? [demandJsonApi(extension)] : []), // 415
      boundQuery, // 400
      ...route.validate, // 400, 403, 409
      openSession(store, !reads),
      route.answer,
    )
  }
  if (transactions.length > 0) {
    app.all(
      root + operationsPath,
      otherMethods(() => ['POST', 'OPTIONS'], [], atomicExtension),
    )
  }
}

/** The route of an endpoint. Reads are charged by their query string, writes by their body. */
function endpointRoute(
  endpoint: Endpoint,
  operating: Operating,
  limit: RateLimit,
  fingerprints: Signer,
): Route {
  const { operation, rule } = endpoint
  const { registry, sealer } = operating
  const query = lazy(() => queryReader(queryRules(registry, endpoint)))
  const route = {
    method: operations[operation].method,
    path: endpointPath(endpoint, ':id'),
    name: endpointName(endpoint),
    rule,
    acceptsBody: acceptsBody(operation),
    validate: [...(hasId(operation) ? [judgePath] : []), validate(endpoint, query, sealer)],
  }
  if (isRead(operation)) {
    return {
      ...route,
      reads: true,
      price: readPrice(() => query().rules, endpoint, limit),
      answer: answerRead(operating, { ...endpoint, operation }),
    }
  }
  return {
    ...route,
    reads: false,
    price: writePrice(limit),
    answer: answerWrite(operating, fingerprints, { ...endpoint, operation }),
  }
}

/** The route of transactions (contract, section 13); none where no type has a write operation. */
function transactionRoutes(operating: Operating, limit: RateLimit, fingerprints: Signer): Route[] {
  const { registry, root } = operating
  const rule = transactionRule(registry)
  if (!rule) {
    return []
  }
  return [
    {
      method: 'POST',
      path: operationsPath,
      name: 'operations',
      rule,
      reads: false,
      acceptsBody: true,
      extension: atomicExtension,
      price: transactionPrice(limit),
      validate: [validateTransaction(registry, root)],
      answer: answerTransaction(operating, fingerprints),
    },
  ]
}
