/*
 * The entry of the built service behind a tap (tapped.ts): it counts what D1 is asked and what that costs, and injects the faults
 * that a test sets. Loaded as `worker.js`, beside the service itself as `service.mjs`.
 */

import { env } from 'cloudflare:workers'

const none = () => ({ roundTrips: 0, rowsRead: 0, rowsWritten: 0 })
const never = () => new Promise(() => {})
const { now } = Date
let plan = {}
let cost = none()

const { DB } = env
const [prepare, batch] = [DB.prepare.bind(DB), DB.batch.bind(DB)]

DB.batch = async (statements) => {
  cost.roundTrips++
  const isFaulty = plan.database !== undefined && cost.roundTrips <= plan.times
  if (isFaulty && plan.database === 'hangs') {
    return never()
  }
  if (isFaulty && plan.database !== 'loses the answer') {
    throw failure(plan.database)
  }
  const results = await batch(statements)
  for (const { meta } of results) {
    cost.rowsRead += meta.rows_read
    cost.rowsWritten += meta.rows_written
  }
  if (isFaulty) {
    throw failure('Network connection lost.')
  }
  return results
}
DB.prepare = (sql) => tapped(prepare(sql))

/** A statement that is sent alone is a batch of one, whose answer says what it has cost. */
function tapped(statement) {
  const bind = statement.bind.bind(statement)
  const run = async () => (await DB.batch([statement]))[0]
  return Object.assign(statement, {
    bind: (...values) => tapped(bind(...values)),
    run,
    first: async () => (await run()).results[0] ?? null,
    raw: async () => (await run()).results.map(Object.values),
  })
}

const namespace = Object.getPrototypeOf(env.RATE_LIMITER)
const { getByName } = namespace
namespace.getByName = function (...name) {
  const { limiter } = plan
  if (limiter === undefined) {
    return getByName.apply(this, name)
  }
  const error = Object.assign(new Error(limiter), { overloaded: limiter === 'is overloaded' })
  return { takeTokens: limiter === 'hangs' ? never : () => Promise.reject(error) }
}

Date.now = () => now() + (plan.aheadMs ?? 0)

// Not before the bindings are wrapped: the service reads them once.
const { default: service, TokenBucket } = await import('./service.mjs')

export { TokenBucket }

export default {
  async fetch(request) {
    if (!request.url.endsWith('/tap')) {
      return service.fetch(request)
    }
    const until = cost
    plan = await request.json()
    cost = none()
    return Response.json(until)
  },
}

/** An error as D1 makes it. */
function failure(message) {
  return new Error(`D1_ERROR: ${message}`, { cause: new Error(message) })
}
