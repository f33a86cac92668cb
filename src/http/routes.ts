import { acceptsBody, isRead, operations } from '../jsonapi/declare/operation.ts'
import {
  type Endpoint,
  endpointName,
  endpointPath,
  endpointsOf,
} from '../jsonapi/declare/registry.ts'
import { read } from '../jsonapi/run/read-operation.ts'
import { write } from '../jsonapi/run/write-operation.ts'
import type { ServedRoute } from './paths.ts'
import { priceOfRead, priceOfWrites } from './price.ts'
import { respondRead, respondWrite, revisionsIn } from './respond.ts'
import { type Route, type Services, served, type ValidatedRequest } from './serve.ts'
import { endpointValidator, type ValidRequest } from './validate.ts'

/** The routes of the operations of all types. */
export function endpointRoutes(services: Services): ServedRoute[] {
  return endpointsOf(services.registry).map((endpoint) =>
    served(services, endpointRoute(endpoint, services)),
  )
}

/** The route of an endpoint. */
function endpointRoute(endpoint: Endpoint, services: Services): Route<ValidRequest> {
  const { operation, rule } = endpoint
  const { registry, sealer, limit } = services
  const route = {
    method: operations[operation].method,
    path: endpointPath(endpoint, ':id'),
    name: endpointName(endpoint),
    rule,
    acceptsBody: acceptsBody(operation),
    creates: operation === 'create' ? ('one' as const) : undefined,
    validate: endpointValidator(endpoint, registry, sealer),
  }
  if (isRead(operation)) {
    const reading = { ...endpoint, operation }
    return {
      ...route,
      price: ({ query }) => priceOfRead(registry, endpoint, query, limit),
      async answer(request) {
        const { c, content, service } = request
        return respondRead(c, await read(service, requestTo(reading, request), content.query))
      },
    }
  }
  const writing = { ...endpoint, operation }
  return {
    ...route,
    price: ({ payload }) => priceOfWrites([payload], limit, { pointer: '/data' }),
    async answer(request) {
      const { c, content, service } = request
      const { id, query, payload } = content
      const ifMatch = revisionsIn(c.req.header('If-Match'))
      const answer = await write(service, requestTo(writing, request), query, {
        payload,
        ifMatch: ifMatch === '*' ? undefined : ifMatch,
        ifNoneMatch: revisionsIn(c.req.header('If-None-Match')),
      })
      c.set('resourceId', answer.createdId ?? id)
      return respondWrite(answer)
    },
  }
}

/** The request to an endpoint. It names its resource for the log. */
function requestTo<Of extends Endpoint>(
  endpoint: Of,
  { c, target, principal, content }: ValidatedRequest<ValidRequest>,
) {
  const { id } = content
  c.set('resourceId', id)
  return { ...endpoint, ...target, id, principal }
}
