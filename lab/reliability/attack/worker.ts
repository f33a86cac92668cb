// First: it counts what goes through the bindings that the service is about to take.

import { env } from 'cloudflare:workers'
import service from '../../../src/worker.ts'
import { backDoorMethod, type Cost, type SqlStatement } from './back-door.ts'
import { taken } from './tap.js'

export { TokenBucket } from '../../../src/worker.ts'

/** The service as it is, and a back door to its database and to what it has cost. */
export default {
  fetch(request: Request): Response | Promise<Response> {
    // To read a long URL takes a while, which would count as the service's.
    if (request.method !== backDoorMethod) {
      return service.fetch(request)
    }
    return answerBackDoor(request)
  },
}

async function answerBackDoor(request: Request): Promise<Response> {
  const body = await request.text()
  return body === '' ? Response.json(await cost()) : runAll(JSON.parse(body))
}

/** SQLite's own count of changes when it was last asked. What is rolled back counts in it, too. */
let counted = 0

async function cost(): Promise<Cost> {
  const counts = taken()
  const [[total = 0] = []] = await env.DB.prepare('SELECT total_changes()').raw<[number]>()
  // What the question costs is not the service's.
  taken()
  const undone = total - counted - counts.changes
  counted = total
  return { ...counts, undone }
}

async function runAll(statements: readonly SqlStatement[]): Promise<Response> {
  const bound = statements.map(([sql, ...values]) => env.DB.prepare(sql).bind(...values))
  const results = await env.DB.batch<object>(bound)
  return Response.json(results.map(({ results: rows }) => rows.map((row) => Object.values(row))))
}
