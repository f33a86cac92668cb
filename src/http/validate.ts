import type { Context, Env } from 'hono'
import { acceptsBody, hasId, type Operation } from '../jsonapi/declare/operation.ts'
import type { Endpoint, Registry } from '../jsonapi/declare/registry.ts'
import type { Principal } from '../jsonapi/declare/resource.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import { FaultList } from '../jsonapi/problems.ts'
import { bodyReader, isId, notAnId, type Payload } from '../jsonapi/request/body.ts'
import { decoded, queryReader } from '../jsonapi/request/query.ts'
import { maxQueryLength, queryRules } from '../jsonapi/request/query-parameters.ts'
import type { Request } from '../jsonapi/run/plan.ts'
import { lazy } from '../lib/cache.ts'
import type { Sealer } from '../lib/key-ring.ts'
import { type ParsedRequest, parseQuery, type RequestTarget, readBody } from './bounds.ts'

/** Validates path, query, headers and body of a request. What it gives counts only where it has added no fault. */
export type Validate<Content> = (
  c: Context<Env>,
  request: ParsedRequest,
  principal: Principal,
  faults: FaultList,
) => Content | undefined | Promise<Content | undefined>

const noBody: ParsedBody = { value: {}, faults: new FaultList() }

/** Parses and validates a request. Nothing is parsed if the query string is too long. */
export async function validateRequest<Content>(
  c: Context<Env>,
  target: RequestTarget,
  principal: Principal,
  route: { readonly acceptsBody: boolean; readonly validate: Validate<Content> },
  faults: FaultList,
): Promise<Content | undefined> {
  const { search } = target
  const length = search.length - 1
  if (length > maxQueryLength) {
    const detail = `The query string has ${length} characters, but at most ${maxQueryLength} are allowed.`
    faults.add(() => ({ code: 'VALUE_INVALID_FORMAT', detail }))
    return undefined
  }
  const body = route.acceptsBody ? await readBody(c.req.raw) : noBody
  return route.validate(c, { ...target, query: parseQuery(search), body }, principal, faults)
}

const emptyPayload: Payload = { attributes: {}, relationships: {} }

/** Makes the validation of requests to an endpoint. Its schemas are made at the first request. */
export function endpointValidator<Name extends Operation>(
  endpoint: Endpoint & { readonly operation: Name },
  registry: Registry,
  sealer: Sealer,
): Validate<Request<Name>> {
  const { definition, operation, relationship } = endpoint
  const queries = lazy(() => queryReader(queryRules(registry, endpoint)))
  const bodies = lazy(() => bodyReader(definition, operation, relationship))
  return async (c, { path, search, query: sent, body }, principal, faults) => {
    const id = c.req.param('id')
    if (hasId(operation)) {
      validateId(id, path, faults)
    }
    const query = await queries()(sent, path, principal, sealer, faults)
    const payload = acceptsBody(operation)
      ? validateBody(body, faults, (value) => bodies()(value, id, faults))
      : emptyPayload
    return query && payload && { ...endpoint, principal, id, query, payload, path, search }
  }
}

/** Validates the id in a path. A path with broken percent-encoding has no other fault. */
function validateId(id = '', path: string, faults: FaultList): void {
  const isBroken = path.includes('%') && decoded(path) === undefined
  if (isBroken || !isId(id)) {
    const detail = isBroken ? 'The percent-encoding of the path is broken.' : notAnId(id)
    faults.add(() => ({ code: 'VALUE_INVALID_FORMAT', detail, source: { path: 'id' } }))
  }
}

/** Validates a parsed body, and adds the faults from parsing, too. */
export function validateBody<Value>(
  { value, faults: parsing }: ParsedBody,
  faults: FaultList,
  validate: (body: object) => Value | undefined,
): Value | undefined {
  faults.join(parsing)
  return value && validate(value)
}
