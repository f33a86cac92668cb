import type { Context, Handler, Hono } from 'hono'
import type { ProtectedResource } from '../auth/bearer.ts'
import type { Verify } from '../auth/token.ts'
import {
  type Endpoint,
  endpointName,
  endpointPath,
  endpointsOf,
} from '../jsonapi/declare/endpoint.ts'
import { isRead, type Operation, operations, takesBody } from '../jsonapi/declare/operation.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import { listedTags } from '../jsonapi/request/conditions.ts'
import { queryRules } from '../jsonapi/request/parameters.ts'
import { type QueryReader, queryReader } from '../jsonapi/request/query.ts'
import { type Answer, type Request, read } from '../jsonapi/run/read.ts'
import type { SessionStore, Usage } from '../jsonapi/run/store.ts'
import { write } from '../jsonapi/run/write.ts'
import { lazy } from '../lib/lazy.ts'
import type { Signer } from '../lib/signer.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import type { BucketName } from '../rate-limit/name.ts'
import type { RateLimit } from '../rate-limit/policy.ts'
import { authenticate, entitle } from './authenticate.ts'
import type { AppEnv, Step } from './context.ts'
import { type Notice, noticeOf } from './deprecation.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { type Memory, memoryOf } from './memory.ts'
import { demandAcceptable, demandJsonApi } from './negotiate.ts'
import { leastPrice, type Price, readPrice, writePrice } from './price.ts'
import { chargedParameters, requestTarget } from './query.ts'
import { bookmarkHeader, respond } from './respond.ts'
import { begun, type Unopened } from './session.ts'
import { admitted, type Charge, chargeAddress, throttle } from './throttle.ts'
import { readBody, validate } from './validate.ts'

/** Everything that is needed to answer requests. */
export interface Services extends Unopened {
  readonly verify: Verify
  readonly resource: ProtectedResource
  readonly bucketName: BucketName
  readonly limiter: RateLimiter
  readonly limit: RateLimit
  /** Makes the fingerprints of requests with an `Idempotency-Key` (contract, section 12). */
  readonly fingerprints: Signer
}

/**
 * Adds a route for every endpoint: the checks in the order of the contract, section 2, and then the operation. The steps of an
 * endpoint are made at its first request, because making the schemas of all endpoints takes a third of the time of a start.
 */
export function addRoutes(app: Hono<AppEnv>, services: Services): void {
  for (const endpoint of endpointsOf(services.registry)) {
    const { method } = operations[endpoint.operation]
    const path = services.root + endpointPath(endpoint, ':id')
    const notice = noticeOf(services.registry, endpoint)
    if (notice) {
      app.on(method, path, notice.announce)
    }
    app.on(method, path, answerer(services, endpoint, notice))
  }
}

/** Makes the handler of an endpoint. */
function answerer(
  services: Services,
  endpoint: Endpoint,
  notice: Notice | undefined,
): Handler<AppEnv> {
  const reads = isRead(endpoint.operation)
  const steps = lazy(() => stepsOf(services, endpoint, notice))
  return async (c) => {
    await inTurn(c, steps().first)
    // Deprecations are told from the judged request, so that answers with a notice are not remembered.
    const memory = reads && !notice ? memoryFor(c, services.store, endpoint) : undefined
    const known = memory?.recall()
    if (known) {
      c.set('resourceId', c.req.param('id'))
      return respond(c, await admitted(c, () => repeated(c, services, known)), reads)
    }
    const made = await admitted(c, () => run(c, services, endpoint, steps().second))
    return respond(c, memory?.remember(made) ?? made, reads)
  }
}

/**
 * The steps of an endpoint. The limiter is asked at the end of the first ones. The second ones may run before its verdict has
 * come.
 */
function stepsOf(services: Services, endpoint: Endpoint, notice: Notice | undefined) {
  const { verify, resource, bucketName, limiter, registry, sealer } = services
  const { operation, rule } = endpoint
  const query = queryReader(queryRules(registry, endpoint))
  const charge = chargeOf(services, endpoint, query)
  return {
    first: [
      named(endpoint),
      demandAcceptable(),
      authenticate(verify, chargeAddress(limiter, bucketName, charge)),
      throttle(limiter, bucketName, charge),
    ],
    second: [
      entitle(rule, resource),
      ...(takesBody(operation) ? [demandJsonApi()] : []),
      validate(endpoint, query, sealer),
      ...(notice ? [notice.note] : []),
    ],
  }
}

/** Makes the step that sets `operation`, the name of the operation in the log. */
function named(endpoint: Endpoint): Step {
  const name = endpointName(endpoint)
  return (c) => c.set('operation', name)
}

/**
 * Runs steps one after the other, in one handler of Hono. A handler for each step costs a read of a country 3 % more CPU
 * (`docs/performance.md`, "Where the time goes").
 */
export async function inTurn(c: Context<AppEnv>, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const pending = step(c)
    if (pending) {
      await pending
    }
  }
}

/** How requests to an endpoint are charged: reads by their query string, writes by their body. */
function chargeOf(
  { limit, mostOffset }: Services,
  endpoint: Endpoint,
  { rules, names }: QueryReader,
): Charge {
  const { operation } = endpoint
  if (isRead(operation)) {
    const price = readPrice(rules, endpoint, limit, mostOffset)
    return {
      least: leastPrice(limit, limit.readCost),
      price: (c) => price(chargedParameters(c, names.length)),
      waits: false,
    }
  }
  const price = writePrice(limit)
  return takesBody(operation)
    ? chargeByBody(limit, price)
    : { least: leastPrice(limit, limit.writeCost), price: () => price(undefined), waits: true }
}

/** How writes are charged whose price depends on their body. The body is read once, before the limiter is asked, and set as `body`. */
export function chargeByBody(limit: RateLimit, price: (body: ParsedBody) => Price): Charge {
  return {
    least: leastPrice(limit, limit.writeCost),
    async price(c) {
      const body = await readBody(c.req.raw, c.get('withDeadline'))
      c.set('body', body)
      return price(body)
    },
    waits: true,
  }
}

/** The remembered answers to requests like this one; undefined where what they show is not in memory. */
function memoryFor(
  c: Context<AppEnv>,
  store: SessionStore,
  { definition: { type } }: Endpoint,
): Memory | undefined {
  const state = store.state?.(type)
  if (!state) {
    return undefined
  }
  const [path, search] = requestTarget(c)
  return memoryOf(state, { principal: c.get('principal'), path, search })
}

/** Gives an answer again. The session is opened only for a caller who sends a bookmark, and gets one back. */
async function repeated(c: Context<AppEnv>, services: Services, known: Answer): Promise<Answer> {
  c.set('usage', nothingUsed)
  if (c.req.header(bookmarkHeader) !== undefined) {
    await begun(c, services, false)
  }
  return known
}

/** What an answer costs the database that is given again. */
const nothingUsed: Usage = {
  roundTrips: 0,
  rowsRead: 0,
  rowsWritten: 0,
  attempts: 1,
  undone: 0,
  undoneMs: 0,
}

/** Runs the steps that may run before the verdict of the limiter has come, then the operation. It sets `resourceId`. */
async function run(
  c: Context<AppEnv>,
  services: Services,
  { definition, operation, relationship }: Endpoint,
  steps: readonly Step[],
): Promise<Answer> {
  await inTurn(c, steps)
  const { id, query, payload, key } = c.get('valid')
  const principal = c.get('principal')
  const [path, search] = requestTarget(c)
  c.set('resourceId', id)
  const beginning = begun(c, services, !isRead(operation))
  const service = beginning instanceof Promise ? await beginning : beginning
  const request = <Of extends Operation>(operation: Of): Request<Of> => ({
    definition,
    operation,
    relationship,
    id,
    principal,
    path,
    search,
  })
  if (isRead(operation)) {
    return read(service, request(operation), query)
  }
  const ifMatch = c.req.header('If-Match')
  const once = idempotencyKeyOf(c, services.fingerprints, key)
  const answer = await write(service, request(operation), query, {
    payload,
    ifMatch: ifMatch === undefined ? undefined : listedTags(ifMatch),
    key: once && (await once),
  })
  if (answer.createdId !== undefined) {
    c.set('resourceId', answer.createdId)
  }
  return answer
}
