import {
  acceptsBody,
  isRead,
  operations,
  type ReadOperation,
  type WriteOperation,
} from '../jsonapi/declare/operation.ts'
import {
  type Endpoint,
  endpointName,
  endpointPath,
  endpointsOf,
} from '../jsonapi/declare/registry.ts'
import type { Request } from '../jsonapi/run/plan.ts'
import { read } from '../jsonapi/run/read-operation.ts'
import { write } from '../jsonapi/run/write-operation.ts'
import type { ServedRoute } from './paths.ts'
import { priceOfRead, priceOfWrites } from './price.ts'
import { respondRead, respondWrite, revisionsIn } from './respond.ts'
import { type Services, served } from './serve.ts'
import { endpointValidator } from './validate.ts'

/** The routes of the operations of all types. */
export function endpointRoutes(services: Services): ServedRoute[] {
  return endpointsOf(services.registry).map((endpoint) => endpointRoute(endpoint, services))
}

/** The route of an endpoint. */
function endpointRoute(endpoint: Endpoint, services: Services): ServedRoute {
  const { operation, rule } = endpoint
  const { registry, sealer, limit } = services
  const route = {
    method: operations[operation].method,
    path: endpointPath(endpoint, ':id'),
    name: endpointName(endpoint),
    rule,
    acceptsBody: acceptsBody(operation),
    creates: operation === 'create' ? ('one' as const) : undefined,
  }
  if (isRead(operation)) {
    return served<Request<ReadOperation>>(services, {
      ...route,
      validate: endpointValidator({ ...endpoint, operation }, registry, sealer),
      price: ({ query }) => priceOfRead(registry, endpoint, query, limit),
      async answer(c, request, service) {
        c.set('resourceId', request.id)
        return respondRead(c, await read(service, request))
      },
    })
  }
  return served<Request<WriteOperation>>(services, {
    ...route,
    validate: endpointValidator({ ...endpoint, operation }, registry, sealer),
    price: ({ payload }) => priceOfWrites([payload], limit, { pointer: '/data' }),
    async answer(c, request, service) {
      c.set('resourceId', request.id)
      const ifMatch = revisionsIn(c.req.header('If-Match'))
      const answer = await write(service, request, {
        ifMatch: ifMatch === '*' ? undefined : ifMatch,
        ifNoneMatch: revisionsIn(c.req.header('If-None-Match')),
      })
      c.set('resourceId', answer.createdId ?? request.id)
      return respondWrite(answer)
    },
  })
}
