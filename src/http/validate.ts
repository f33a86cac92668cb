import type { Context, Env } from 'hono'
import { acceptsBody, hasId } from '../jsonapi/declare/operation.ts'
import type { Endpoint, Registry } from '../jsonapi/declare/registry.ts'
import type { Principal } from '../jsonapi/declare/resource.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import { bodyReader, isId, notAnId, type Payload } from '../jsonapi/request/body.ts'
import { decoded, type QuerySpec, queryReader } from '../jsonapi/request/query.ts'
import { maxQueryLength, queryRules } from '../jsonapi/request/query-parameters.ts'
import { faultsOf, refused, refusedFor, type Verdict } from '../jsonapi/verdict.ts'
import { lazy } from '../lib/cache.ts'
import type { Sealer } from '../lib/key-ring.ts'
import { type ParsedRequest, parseQuery, type RequestTarget, readBody } from './bounds.ts'

/** Validates path, query, headers and body of a request. The verdict has the faults of all of them. */
export type Validate<Content> = (
  c: Context<Env>,
  request: ParsedRequest,
  principal: Principal,
) => Verdict<Content> | Promise<Verdict<Content>>

const noBody: ParsedBody = { ok: true, value: {}, problems: [], omitted: 0 }

/** Parses and validates a request. Nothing is parsed if the query string is too long. */
export async function validateRequest<Content>(
  c: Context<Env>,
  target: RequestTarget,
  principal: Principal,
  route: { readonly acceptsBody: boolean; readonly validate: Validate<Content> },
): Promise<Verdict<Content>> {
  const { search } = target
  const length = search.length - 1
  if (length > maxQueryLength) {
    const detail = `The query string has ${length} characters, but at most ${maxQueryLength} are allowed.`
    return refusedFor({ code: 'VALUE_INVALID_FORMAT', detail })
  }
  const body = route.acceptsBody ? await readBody(c.req.raw) : noBody
  return route.validate(c, { ...target, query: parseQuery(search), body }, principal)
}

/** The content of a valid request to an endpoint. */
export interface ValidRequest {
  readonly id: string | undefined
  readonly query: QuerySpec
  /** Empty if the operation accepts no body. */
  readonly payload: Payload
}

const absent: Verdict<undefined> = { ok: true, value: undefined }
const emptyPayload: Verdict<Payload> = { ok: true, value: { attributes: {}, relationships: {} } }

/** Makes the validation of requests to an endpoint. Its schemas are made at the first request. */
export function endpointValidator(
  endpoint: Endpoint,
  registry: Registry,
  sealer: Sealer,
): Validate<ValidRequest> {
  const { definition, operation, relationship } = endpoint
  const queries = lazy(() => queryReader(queryRules(registry, endpoint)))
  const bodies = lazy(() => bodyReader(definition, operation, relationship))
  return async (c, request, principal) => {
    const sentId = c.req.param('id')
    const id = hasId(operation) ? validateId(sentId, request.path) : absent
    const query = await queries()(request.query, request.path, principal, sealer)
    const payload = acceptsBody(operation)
      ? validateBody(request.body, (body) => bodies()(body, sentId))
      : emptyPayload
    if (!id.ok || !query.ok || !payload.ok) {
      return refused(faultsOf(id, query, payload))
    }
    return { ok: true, value: { id: id.value, query: query.value, payload: payload.value } }
  }
}

/** Validates the id in a path. A path with broken percent-encoding has no other fault. */
function validateId(id = '', path: string): Verdict<string> {
  const isBroken = path.includes('%') && decoded(path) === undefined
  if (!isBroken && isId(id)) {
    return { ok: true, value: id }
  }
  const detail = isBroken ? 'The percent-encoding of the path is broken.' : notAnId(id)
  return refusedFor({ code: 'VALUE_INVALID_FORMAT', detail, source: { path: 'id' } })
}

/** Validates a parsed body. The faults from parsing are in the verdict, too. */
export function validateBody<Value>(
  body: ParsedBody,
  validate: (body: object) => Verdict<Value>,
): Verdict<Value> {
  if (!body.ok) {
    return refusedFor(body.problem)
  }
  const verdict = validate(body.value)
  return body.problems.length === 0 ? verdict : refused(faultsOf(refused(body), verdict))
}
