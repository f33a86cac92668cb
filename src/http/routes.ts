import type { Context, Hono } from 'hono'
import type { ProtectedResource } from '../auth/bearer.ts'
import type { Verify } from '../auth/token.ts'
import { type Endpoint, endpointName, endpointPath, endpointsOf } from '../jsonapi/endpoint.ts'
import { ApiError, type Faults } from '../jsonapi/errors.ts'
import type { JudgedQuery } from '../jsonapi/judge-query.ts'
import { isRead, operations, takesBody } from '../jsonapi/operation.ts'
import { queryRules } from '../jsonapi/parameters.ts'
import { type BodyReader, bodyReader, type Payload } from '../jsonapi/payload.ts'
import { type QueryReader, queryReader } from '../jsonapi/query.ts'
import { type Answer, read, type Service } from '../jsonapi/read.ts'
import { readableFaults } from '../jsonapi/readable.ts'
import type { SessionStore } from '../jsonapi/store.ts'
import { faultsOf, type Verdict } from '../jsonapi/validate.ts'
import { write } from '../jsonapi/write.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import { type BucketName, callerText } from '../rate-limit/name.ts'
import type { RateLimit } from '../rate-limit/policy.ts'
import { authenticate, entitle, principalOf } from './authenticate.ts'
import type { AppEnv } from './context.ts'
import { demandAcceptable, demandJsonApi } from './negotiate.ts'
import { readPrice, writePrice } from './price.ts'
import { bookmarkHeader, respond } from './respond.ts'
import { admittedStore, type Charge, throttle } from './throttle.ts'
import {
  idJudge,
  judgeBody,
  judgeParameters,
  pathAndSearch,
  readBody,
  sentQuery,
} from './validate.ts'

/** Everything that answering a request takes. */
export interface Services extends Omit<Service, 'store'> {
  readonly store: SessionStore
  readonly verify: Verify
  readonly resource: ProtectedResource
  readonly bucketName: BucketName
  readonly limiter: RateLimiter
  readonly limit: RateLimit
}

/** Adds a route for every endpoint: the checks in the order of the contract, section 2, then the operation. */
export function addRoutes(app: Hono<AppEnv>, services: Services): void {
  const { root, verify, resource, bucketName, limiter, registry } = services
  const identify = authenticate(verify, resource)
  for (const endpoint of endpointsOf(registry)) {
    const { operation, rule } = endpoint
    const { method } = operations[operation]
    const reads = isRead(operation)
    const query = queryReader(queryRules(registry, endpoint))
    const body = bodyReaderOf(endpoint)
    const name = endpointName(endpoint)
    const judgeId = idJudge()
    const charge = throttle(limiter, bucketName, chargeOf(services, endpoint))
    const demandEntitlement = entitle(rule, resource)
    app.on(method, root + endpointPath(endpoint, ':id'), async (c) => {
      c.set('operation', name)
      demandAcceptable(c)
      await identify(c)
      await charge(c)
      demandEntitlement(c)
      if (takesBody(operation)) {
        demandJsonApi(c)
      }
      const answer = await operate(c, services, endpoint, {
        id: await judgeId(c),
        query: judgeParameters(sentQuery(c), query.judge),
        body,
        understand: query.understand,
      })
      if (answer.createdId !== undefined) {
        c.set('resourceId', answer.createdId)
      }
      return respond(c, answer, reads)
    })
  }
}

/** How requests to an endpoint are charged: reads by their query, writes by their body. */
function chargeOf({ registry, limit, mostOffset }: Services, endpoint: Endpoint): Charge {
  const { operation } = endpoint
  if (isRead(operation)) {
    const price = readPrice(queryRules(registry, endpoint), endpoint, limit, mostOffset)
    return {
      least: Math.min(limit.readCost, limit.capacity),
      price: (c) => price(sentQuery(c).sent),
      waits: false,
    }
  }
  const price = writePrice(limit)
  return {
    least: Math.min(limit.writeCost, limit.capacity),
    async price(c) {
      if (!takesBody(operation)) {
        return price(undefined)
      }
      const body = await readBody(c.req.raw)
      c.set('body', body)
      return price(body)
    },
    waits: true,
  }
}

/** What is known of a request once its path and each of its parameters is judged, and how to judge the rest. */
interface Judged {
  readonly id: Verdict<string | undefined>
  readonly query: JudgedQuery
  readonly understand: QueryReader['understand']
  readonly body: BodyReader | undefined
}

/** Nothing to write: the operation takes no body, or ignores it. */
const nothing: Verdict<Payload> = { ok: true, value: { attributes: {}, relationships: {} } }

/**
 * Validates everything of a request at once, then runs the operation.
 *
 * @throws ApiError with every problem of path, query and body
 */
async function operate(
  c: Context<AppEnv>,
  services: Services,
  { definition, operation, relationship }: Endpoint,
  { id, query, understand, body }: Judged,
): Promise<Answer> {
  const { url } = c.req
  const [path, search] = pathAndSearch(url)
  const principal = principalOf(c.get('identity'))
  const pathId = id.ok ? id.value : undefined
  const spec = understand(query, path)
  const payload = body ? judgeBody(c.get('body'), body, pathId) : nothing
  const others = readableFaults(definition, query.uses, principal)
  const { problem, mostOffset = services.mostOffset } = c.get('price')
  if (problem) {
    others.add(() => problem)
  }
  if (!id.ok || !spec.ok || !payload.ok || others.problems.length > 0) {
    throw invalid(others.join(faultsOf(id, spec, payload)))
  }
  const request = { definition, relationship, id: pathId, principal, path, search }
  const bookmark = c.req.header(bookmarkHeader)
  const caller = callerText(principal)
  const session = await services.store.begin({ bookmark, writes: !isRead(operation), caller })
  const { registry, root } = services
  const service = { registry, root, mostOffset, store: admittedStore(c, session) }
  c.set('resourceId', pathId)
  c.set('session', session)
  return isRead(operation)
    ? read(service, { ...request, operation }, spec.value)
    : write(service, { ...request, operation }, spec.value, payload.value)
}

function bodyReaderOf({ definition, operation, relationship }: Endpoint): BodyReader | undefined {
  return takesBody(operation) ? bodyReader(definition, operation, relationship) : undefined
}

function invalid({ problems: [first, ...rest], untold }: Faults): Error {
  return first
    ? new ApiError([first, ...rest], {}, { untold })
    : new Error('A request is invalid, but nothing is wrong with it')
}
