import {
  acceptsBody,
  type Operation,
  operations,
  type ReadOperation,
  type WriteOperation,
} from '../jsonapi/declare/operation.ts'
import {
  type Endpoint,
  endpointName,
  endpointPath,
  endpointsOf,
  isReadEndpoint,
} from '../jsonapi/declare/registry.ts'
import type { ProblemList } from '../jsonapi/problems.ts'
import { bodyReader, emptyPayload, isResourceId, notAnId } from '../jsonapi/request/body.ts'
import { decodePart, queryReader } from '../jsonapi/request/query.ts'
import { queryRules } from '../jsonapi/request/query-parameters.ts'
import { runRead } from '../jsonapi/run/read-operation.ts'
import type { ValidRequest } from '../jsonapi/run/views.ts'
import { runWrite } from '../jsonapi/run/write-operation.ts'
import { lazy } from '../lib/cache.ts'
import { parseQuery, readBody } from './bounds.ts'
import type { ServedRoute } from './paths.ts'
import { priceOfRead, priceOfWrites } from './price.ts'
import { respondRead, respondWrite, revisionsIn } from './respond.ts'
import { type Route, type Services, serveRoute } from './serve.ts'

/** The routes of the operations of all types. */
export function endpointRoutes(services: Services): ServedRoute[] {
  return endpointsOf(services.registry).map((endpoint) => endpointRoute(endpoint, services))
}

/** What the routes of all endpoints have in common. */
function commonTo(endpoint: Endpoint) {
  const { operation, rule } = endpoint
  return {
    method: operations[operation].method,
    path: endpointPath(endpoint, ':id'),
    name: endpointName(endpoint),
    rule,
    acceptsBody: acceptsBody(operation),
    creates: operation === 'create' ? ('one' as const) : undefined,
  }
}

/** The route of a read. */
export function readRoute(
  endpoint: Endpoint<ReadOperation>,
  services: Services,
): Route<ValidRequest<ReadOperation>> {
  const { registry, limit } = services
  return {
    ...commonTo(endpoint),
    validate: endpointValidator(endpoint, services),
    price: ({ query }) => priceOfRead(registry, endpoint, query, limit),
    async answer(c, request, service) {
      c.set('resourceId', request.id)
      return respondRead(c, await runRead(service, request))
    },
  }
}

/** The route of an endpoint. */
function endpointRoute(endpoint: Endpoint, services: Services): ServedRoute {
  if (isReadEndpoint(endpoint)) {
    return serveRoute(services, readRoute(endpoint, services))
  }
  return serveRoute<ValidRequest<WriteOperation>>(services, {
    ...commonTo(endpoint),
    validate: endpointValidator<WriteOperation>(endpoint, services),
    price: ({ payload }) => priceOfWrites([payload], services.limit, { pointer: '/data' }),
    async answer(c, request, service) {
      c.set('resourceId', request.operation === 'create' ? undefined : request.id)
      const ifMatch = revisionsIn(c.req.header('If-Match'))
      const answer = await runWrite(service, request, {
        ifMatch: ifMatch === '*' ? undefined : ifMatch,
        ifNoneMatch: revisionsIn(c.req.header('If-None-Match')),
      })
      c.set('resourceId', answer.createdId ?? request.id)
      return respondWrite(answer)
    },
  })
}

/** Makes the validation of requests to an endpoint. Its schemas are made at the first request. */
function endpointValidator<Name extends Operation>(
  endpoint: Endpoint<Name>,
  { registry, sealer }: Services,
): Route<ValidRequest<Name>>['validate'] {
  const { definition, operation } = endpoint
  const queries = lazy(() => queryReader(queryRules(registry, endpoint)))
  const bodies = lazy(() => bodyReader(endpoint))
  const hasBody = acceptsBody(operation)
  return async (c, target, principal, problems) => {
    const { path } = target
    const id = c.req.param('id')
    if (id !== undefined) {
      validateId(id, path, problems)
    }
    const sent = parseQuery(target, problems)
    const query = await queries()(sent, path, principal, sealer, problems)
    const body = hasBody ? await readBody(c, problems) : undefined
    const payload = body ? bodies()(body, id, problems) : emptyPayload
    const resource = operation === 'create' ? definition.operations.create?.newId() : id
    const request = { ...endpoint, principal, id: resource, query, payload }
    // The path of an operation holds an id where the request must have one.
    return query && payload && (request as unknown as ValidRequest<Name>)
  }
}

/** Validates the id in a path. A path with broken percent-encoding has no other problem. */
function validateId(id: string, path: string, problems: ProblemList): void {
  const isBroken = path.includes('%') && decodePart(path) === undefined
  if (isBroken || !isResourceId(id)) {
    const detail = isBroken ? 'The percent-encoding of the path is broken.' : notAnId(id)
    problems.addProblem(detail, { path: 'id' })
  }
}
