// First: it counts what goes through the bindings that the service is about to take.

import { env } from 'cloudflare:workers'
import service from '../../../../src/worker.ts'
import { taken } from '../../../bench/server/tap.js'
import { backDoorPath, type SqlStatement } from './back-door.ts'

export { TokenBucket } from '../../../../src/worker.ts'

/** The service as it is, and a back door to its database and to what it has cost. */
export default {
  fetch(request: Request): Response | Promise<Response> {
    // To parse the URL would cost more than a refusal does.
    if (!request.url.endsWith(backDoorPath)) {
      return service.fetch(request)
    }
    return request.method === 'POST' ? runAll(request) : Response.json(taken())
  },
}

async function runAll(request: Request): Promise<Response> {
  const statements: readonly SqlStatement[] = await request.json()
  const bound = statements.map(([sql, ...values]) => env.DB.prepare(sql).bind(...values))
  const results = await env.DB.batch<object>(bound)
  return Response.json(results.map(({ results: rows }) => rows.map((row) => Object.values(row))))
}
