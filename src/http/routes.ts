import type { Context, Hono } from 'hono'
import type { ProtectedResource } from '../auth/bearer.ts'
import type { Verify } from '../auth/token.ts'
import { type Endpoint, endpointName, endpointPath, endpointsOf } from '../jsonapi/endpoint.ts'
import { ApiError, type Problem } from '../jsonapi/errors.ts'
import { isRead, operations, takesBody } from '../jsonapi/operation.ts'
import { queryRules } from '../jsonapi/parameters.ts'
import { type BodyReader, bodyReader, type Payload } from '../jsonapi/payload.ts'
import { type QueryReader, queryReader } from '../jsonapi/query.ts'
import { type Answer, read, type Service } from '../jsonapi/read.ts'
import type { SessionStore } from '../jsonapi/store.ts'
import type { Verdict } from '../jsonapi/validate.ts'
import { sortProblems } from '../jsonapi/view.ts'
import { write } from '../jsonapi/write.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import type { RateLimit } from '../rate-limit/policy.ts'
import { authenticate, entitle, principalOf } from './authenticate.ts'
import type { AppEnv } from './context.ts'
import { demandAcceptable, demandJsonApi } from './negotiate.ts'
import { bookmarkHeader, respond } from './respond.ts'
import { throttle } from './throttle.ts'
import { encodingProblems, judgeBody, judgeId, queryJudge } from './validate.ts'

/** Everything that answering a request takes. */
export interface Services extends Omit<Service, 'store'> {
  readonly store: SessionStore
  readonly verify: Verify
  readonly resource: ProtectedResource
  readonly limiter: RateLimiter
  readonly limit: RateLimit
}

/** Adds a route for every endpoint: the checks in the order of the contract, section 2, then the operation. */
export function addRoutes(app: Hono<AppEnv>, services: Services): void {
  const { root, verify, resource, limiter, limit, registry } = services
  const identify = authenticate(verify, resource)
  for (const endpoint of endpointsOf(registry)) {
    const { operation, rule } = endpoint
    const { method } = operations[operation]
    const reads = isRead(operation)
    const query = queryReader(queryRules(registry, endpoint))
    const body = bodyReaderOf(endpoint)
    const name = endpointName(endpoint)
    const judgeQuery = queryJudge(query.judge)
    const charge = throttle(limiter, limit, method)
    const demandEntitlement = entitle(rule, resource)
    app.on(method, root + endpointPath(endpoint, ':id'), async (c) => {
      c.set('operation', name)
      demandAcceptable(c)
      await identify(c)
      await charge(c)
      demandEntitlement(c)
      if (!reads) {
        demandJsonApi(c)
      }
      const answer = await operate(c, services, endpoint, { query, body }, await judgeQuery(c))
      if (answer.createdId !== undefined) {
        c.set('resourceId', answer.createdId)
      }
      return respond(c, answer, reads)
    })
  }
}

interface Readers {
  readonly query: QueryReader
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
  readers: Readers,
  query: ReturnType<QueryReader['judge']>,
): Promise<Answer> {
  const { url } = c.req
  const [path, search] = pathAndSearch(url)
  const id = judgeId(c.req.param('id'))
  const principal = principalOf(c.get('identity'))
  const pathId = id.ok ? id.value : undefined
  const spec = query.ok ? readers.query.understand(query.value, path) : query
  const payload = readers.body ? await judgeBody(c, readers.body, pathId) : nothing
  const others = [
    ...encodingProblems(url),
    ...(spec.ok ? sortProblems(definition, spec.value.sort, principal) : []),
  ]
  if (!id.ok || !spec.ok || !payload.ok || others.length > 0) {
    throw invalid([...others, ...problemsOf(id), ...problemsOf(spec), ...problemsOf(payload)])
  }
  const request = { definition, relationship, id: pathId, principal, path, search }
  const bookmark = c.req.header(bookmarkHeader)
  const caller = JSON.stringify([principal.issuer, principal.kind, principal.id])
  const store = await services.store.begin({ bookmark, writes: !isRead(operation), caller })
  const service = { registry: services.registry, root: services.root, store }
  c.set('resourceId', pathId)
  c.set('session', store)
  return isRead(operation)
    ? read(service, { ...request, operation }, spec.value)
    : write(service, { ...request, operation }, spec.value, payload.value)
}

/** The path and the query string of a URL, as they were sent. */
function pathAndSearch(url: string): [path: string, search: string] {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query < 0 ? [url.slice(start), ''] : [url.slice(start, query), url.slice(query)]
}

function bodyReaderOf({ definition, operation, relationship }: Endpoint): BodyReader | undefined {
  return takesBody(operation) ? bodyReader(definition, operation, relationship) : undefined
}

function problemsOf(verdict: Verdict<unknown>): readonly Problem[] {
  return verdict.ok ? [] : verdict.problems
}

function invalid([first, ...rest]: readonly Problem[]): Error {
  return first
    ? new ApiError([first, ...rest])
    : new Error('A request is invalid, but nothing is wrong with it')
}
