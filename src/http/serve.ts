import type { Context, Env, Handler } from 'hono'
import { insufficientScope } from '../auth/challenge.ts'
import type { Caller, Verify } from '../auth/token.ts'
import { allows, type OperationRule, type Principal } from '../jsonapi/declare/resource.ts'
import { ApiError, enumerate, faultCodes, ProblemList } from '../jsonapi/problems.ts'
import { maxOffset } from '../jsonapi/run/pagination.ts'
import type { Session, SessionStore, Store, Usage } from '../jsonapi/run/port.ts'
import type { RequestTarget, Service } from '../jsonapi/run/views.ts'
import { type LimitVerdict, refusalText } from '../rate-limit/bucket.ts'
import type { RateLimiter } from '../rate-limit/client.ts'
import type { RateLimit } from '../rate-limit/policy.ts'
import { targetOf, validateLength } from './bounds.ts'
import { requireAcceptable, requireJsonApi } from './negotiate.ts'
import type { ServedRoute } from './paths.ts'
import { minPrice, type Price } from './price.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The caller. Not set if the token is refused. */
    principal: Principal
    /** The verdict of the limiter. Not set if the limiter is not asked. */
    verdict: LimitVerdict
    /** What the request has asked of the database. Not set if it is refused before it may read or write. */
    usage: Readonly<Usage>
    /** The id of the resource that the request is about. */
    resourceId: string | undefined
  }
}

/** What is needed to serve operations. */
export interface Services extends Pick<Service, 'registry' | 'root' | 'sealer'> {
  readonly store: SessionStore
  readonly verify: Verify
  /** Blocked callers: their names in the log. */
  readonly blockedCallers: ReadonlySet<string>
  /** Are writes refused? */
  readonly readOnly?: boolean | undefined
  /** The URL of the service's metadata, which challenges name. */
  readonly resourceMetadata?: string | undefined
  /** The bucket that pays for requests from an address without a valid token. */
  readonly addressBucket: (address: string | undefined) => Promise<string>
  readonly limiter: RateLimiter
  readonly limit: RateLimit
  /** What capabilities add to routes. */
  readonly capabilities?: readonly Capability[]
}

/** An operation at a path. */
export interface Route<Content> extends Omit<ServedRoute, 'handler'> {
  /** The name of the operation in the log. */
  readonly name: string
  readonly rule: OperationRule
  readonly acceptsBody: boolean
  /** Set if it creates one resource, or maybe several: sending it again would create more. */
  readonly creates?: 'one' | 'several' | undefined
  /** Parses and validates path, query, headers and body. Its result is used only if it has added no problem. */
  readonly validate: (
    c: Context<Env>,
    target: RequestTarget,
    principal: Principal,
    problems: ProblemList,
  ) => Content | undefined | Promise<Content | undefined>
  /** The price of a valid request. */
  readonly price: (content: Content) => Price
  readonly answer: (c: Context<Env>, content: Content, service: Service) => Promise<Response>
}

/** A capability: what it adds to routes, to the schedule, and to the headers of pages of other origins. */
export interface Capability {
  /** Returns the route with what it adds, or the route itself. */
  extend<Content>(route: Route<Content>): Route<Content>
  /** What it does from time to time, without a request. */
  readonly scheduled?: () => Promise<void>
  /** Headers that a page of another origin may send. */
  readonly requestHeaders?: readonly string[]
  /** Headers that a page of another origin may read. */
  readonly responseHeaders?: readonly string[]
}

/** A route with its handler. Each capability comes around those before it. */
export function serveRoute<Content>(services: Services, route: Route<Content>): ServedRoute {
  const { capabilities = [] } = services
  const extended = capabilities.reduce((each, capability) => capability.extend(each), route)
  return { ...route, handler: serve(services, extended) }
}

/** Makes the handler of an operation. The numbers are the statuses of its checks. */
function serve<Content>(services: Services, route: Route<Content>): Handler<Env> {
  const { registry, root, sealer, store, limiter, limit } = services
  const { extension, mediaType } = route
  const reads = route.method === 'GET'
  const leastPrice = minPrice(limit, reads)
  return async function serve(c) {
    c.set('operation', route.name)
    requireAcceptable(c.req.header('Accept'), extension, mediaType) // 406
    const { principal, bucket, name } = await authenticate(c, services, leastPrice) // 401
    c.set('principal', principal)
    c.set('caller', name)
    requireUnblocked(services, name) // 403
    const remembered = limiter.recall(bucket, leastPrice)
    if (remembered) {
      requireTokens(c, remembered) // 429
    }
    const problems = new ProblemList()
    const target = targetOf(c.req.url)
    validateLength(target, problems)
    const validated =
      problems.count === 0 ? await route.validate(c, target, principal, problems) : undefined
    const content = problems.count === 0 ? validated : undefined
    // An invalid request costs the least price, and so does one that costs more than the burst.
    const price: Price = content ? route.price(content) : { tokens: leastPrice }
    const { tokens, problem, offsetLimit = maxOffset } = price
    if (problem) {
      problems.add(() => problem)
    }
    const admission = limiter.ask(bucket, tokens)
    const requireAdmission = async (): Promise<void> => requireTokens(c, await admission.verdict)
    try {
      requireAccess(route.rule, principal, services.resourceMetadata) // 403
      if (!reads && services.readOnly) {
        throw ApiError.failure(noWrites, 'READ_ONLY is set', 30) // 500
      }
      if (route.acceptsBody) {
        requireJsonApi(c.req.raw, extension) // 415
      }
      if (!content || problems.count > 0) {
        throw new ApiError(problems.kept, {}, { omitted: problems.omitted }) // 400, 403, 409
      }
      return await inSession(c, store, reads, (session) => {
        const admitted = admittedStore(session, admission.mayStart, requireAdmission)
        const service = { registry, root, sealer, store: admitted, target, offsetLimit }
        return route.answer(c, content, service) // 404, 403, 412, 404, 409
      })
    } finally {
      // A refusal replaces any other answer. Nothing is written before the limiter has answered.
      await requireAdmission() // 429
    }
  }
}

/** Verifies the access token. A request whose token is refused is charged to its address. @throws ApiError 401, 429 */
async function authenticate(
  c: Context<Env>,
  { verify, limiter, addressBucket }: Services,
  leastPrice: number,
): Promise<Caller> {
  try {
    return await verify(c.req.header('Authorization'))
  } catch (error) {
    if (error instanceof ApiError) {
      const bucket = await addressBucket(c.req.header('CF-Connecting-IP'))
      requireTokens(c, await limiter.ask(bucket, leastPrice).verdict)
    }
    throw error
  }
}

/** Refuses a caller whom the operator has blocked. @throws ApiError 403 */
function requireUnblocked({ blockedCallers }: Services, name: string): void {
  if (blockedCallers.has(name)) {
    const detail = 'The operator of this service has blocked the caller that this token names.'
    throw ApiError.of(faultCodes.blocked, detail, { header: 'Authorization' })
  }
}

/** Refuses a request that the limiter has refused. @throws ApiError 429 */
function requireTokens(c: Context<Env>, verdict: LimitVerdict): void {
  c.set('verdict', verdict)
  if (!verdict.allowed) {
    throw ApiError.of('TOO_MANY_REQUESTS', refusalText(verdict))
  }
}

/** Refuses a token of the wrong kind, or without the scopes of the rule. @throws ApiError 403 */
function requireAccess(
  { access }: OperationRule,
  principal: Principal,
  resourceMetadata: string | undefined,
): void {
  if (!allows(access, principal, 'maybe')) {
    const scopes = [...new Set(access.flatMap((alternative) => alternative.scopes ?? []))]
    throw ApiError.of(
      faultCodes.forbidden,
      `This operation needs a person's token with scope ${enumerate(scopes)}.`,
      { header: 'Authorization' },
      { 'WWW-Authenticate': insufficientScope(scopes, resourceMetadata) },
    )
  }
}

/** The detail of the answer to a write while `READ_ONLY` is set. */
const noWrites =
  'The service takes no writes at present, and this one has changed nothing. Reads are answered. Send it again later.'

/** The header with the bookmark of a state of the database. A caller that sends it back reads a state that is at least as new. */
export const bookmarkHeader = 'X-D1-Bookmark'

/** The form of D1's bookmarks. A text of another form could break a header of D1's own request. */
const bookmarkFormat = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Answers a request in a session with the store. Answers to writes, and to requests with a bookmark, get a bookmark. */
async function inSession(
  c: Context<Env>,
  store: SessionStore,
  reads: boolean,
  answer: (session: Session) => Promise<Response>,
): Promise<Response> {
  const sent = c.req.header(bookmarkHeader)
  const bookmark = sent !== undefined && bookmarkFormat.test(sent) ? sent : undefined
  const session = store.begin({ bookmark, writes: !reads })
  c.set('usage', session.usage)
  try {
    const response = await answer(session)
    const seen = session.bookmark()
    if (seen !== null && (!reads || sent !== undefined)) {
      response.headers.set(bookmarkHeader, seen)
    }
    return response
  } finally {
    session.close()
  }
}

/**
 * The store of a request, which waits until the limiter has admitted the request. If the isolate's own bucket has enough tokens, the
 * first read need not wait.
 */
function admittedStore(
  { read, write }: Session,
  mayStart: boolean,
  requireAdmission: () => Promise<void>,
): Store {
  let waits = !mayStart
  return {
    async read(reads) {
      if (waits) {
        await requireAdmission()
      }
      waits = true
      return read(reads)
    },
    async write(edits, guard) {
      await requireAdmission()
      return write(edits, guard)
    },
  }
}
