import {
  atomicExtension,
  operationsMember,
  operationsPath,
  transactionRule,
} from '../jsonapi/atomic/extension.ts'
import { operationsReader, type TransactionOperation } from '../jsonapi/atomic/reader.ts'
import { transact } from '../jsonapi/atomic/transact.ts'
import { validateQuery } from '../jsonapi/request/query.ts'
import { lazy } from '../lib/cache.ts'
import { parseQuery, readBody } from './bounds.ts'
import type { ServedRoute } from './paths.ts'
import { priceOfWrites } from './price.ts'
import { respondWrite } from './respond.ts'
import { type Route, type Services, serveRoute } from './serve.ts'

/** The route of transactions. There is none if no type has a write operation. */
export function transactionRoutes(services: Services): ServedRoute[] {
  const { registry, root, limit } = services
  const rule = transactionRule(registry)
  if (!rule) {
    return []
  }
  // Its schemas are made at the first request.
  const reader = lazy(() => operationsReader(registry, root))
  const route: Route<readonly TransactionOperation[]> = {
    method: 'POST',
    path: operationsPath,
    name: 'operations',
    rule,
    acceptsBody: true,
    creates: 'several',
    extension: atomicExtension,
    async validate(c, target, principal, faults) {
      validateQuery(parseQuery(target, faults), new Map(), faults)
      for (const header of ['If-Match', 'If-None-Match']) {
        if (c.req.header(header) !== undefined) {
          const detail = `${header} is not allowed here: it names the state of one resource, and a transaction may write several.`
          faults.addProblem(detail, { header })
        }
      }
      const body = await readBody(c, faults)
      return body && reader()(body, principal, faults)
    },
    price(operations) {
      const payloads = operations.map(({ payload }) => payload)
      return priceOfWrites(payloads, limit, { pointer: `/${operationsMember}` })
    },
    async answer(_, operations, service) {
      return respondWrite(await transact(service, operations))
    },
  }
  return [serveRoute(services, route)]
}
