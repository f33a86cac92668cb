// First: it wraps the bindings that the service is about to take.
import './bindings.ts'

import service from '../../../src/worker.ts'
import { database } from './bindings.ts'
import { under } from './injected.ts'
import { backDoorPath, callsHeader, type Plan, planHeader, type SqlStatement } from './plan.ts'

export { TokenBucket } from '../../../src/worker.ts'

/** The service as it is, with its bindings wrapped, and a back door to what is stored. */
export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === backDoorPath) {
      const statements: readonly SqlStatement[] = await request.json()
      const bound = statements.map(([sql, ...values]) => database.prepare(sql).bind(...values))
      return Response.json((await database.batch(bound)).map(({ results }) => results))
    }
    const plan: Plan = JSON.parse(request.headers.get(planHeader) ?? '{}')
    const plain = new Request(request)
    plain.headers.delete(planHeader)
    const { response, calls } = await under(plan, () => service.fetch(plain))
    const answer = new Response(response.body, response)
    answer.headers.set(callsHeader, String(calls))
    return answer
  },
}
