import type { Env, Hono } from 'hono'
import { acceptsBody, isRead, operations } from '../jsonapi/declare/operation.ts'
import {
  type Endpoint,
  endpointName,
  endpointPath,
  endpointsOf,
} from '../jsonapi/declare/registry.ts'
import { read } from '../jsonapi/run/read.ts'
import { write } from '../jsonapi/run/write.ts'
import { transactionRoutes } from './atomic.ts'
import { addOtherMethods, type KnownRoute } from './paths.ts'
import { priceOfRead, priceOfWrites } from './price.ts'
import { excludedRevisions, expectedRevisions, respondRead, respondWrite } from './respond.ts'
import { type Route, type Services, serve, type ValidatedRequest } from './serve.ts'
import { storedKey } from './stored-key.ts'
import { endpointValidator, type ValidRequest } from './validate.ts'

/** Adds a route for each operation of each type, and answers all other methods at their paths. */
export function addRoutes(app: Hono<Env>, services: Services): readonly KnownRoute[] {
  const { registry, root } = services
  const endpoints = endpointsOf(registry).map((endpoint) => endpointRoute(endpoint, services))
  for (const route of endpoints) {
    app.on(route.method, root + route.path, serve(services, route))
  }
  const transactions = transactionRoutes(services)
  for (const route of transactions) {
    app.on(route.method, root + route.path, serve(services, route))
  }
  const routes = [...endpoints, ...transactions]
  addOtherMethods(app, registry, root, routes)
  return routes
}

/** The route of an endpoint. */
function endpointRoute(endpoint: Endpoint, services: Services): Route<ValidRequest> {
  const { operation, rule } = endpoint
  const { registry, sealer, limit, fingerprints } = services
  const route = {
    method: operations[operation].method,
    path: endpointPath(endpoint, ':id'),
    name: endpointName(endpoint),
    rule,
    acceptsBody: acceptsBody(operation),
    validate: endpointValidator(endpoint, registry, sealer),
  }
  if (isRead(operation)) {
    const reading = { ...endpoint, operation }
    return {
      ...route,
      reads: true,
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
    reads: false,
    price: ({ payload }) => priceOfWrites([payload], limit, { pointer: '/data' }),
    async answer(request) {
      const { c, content, principal, service } = request
      const { id, query, payload } = content
      const answer = await write(service, requestTo(writing, request), query, {
        payload,
        ifMatch: expectedRevisions(c.req.header('If-Match')),
        ifNoneMatch: excludedRevisions(c.req.header('If-None-Match')),
        key: await storedKey(content.key, principal, fingerprints),
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
