import { env } from 'cloudflare:workers'

/** What requests have cost since it was last asked, as D1 itself tells it. */
let cost = nothing()

/** @returns {{ roundTrips: number, rowsRead: number, rowsWritten: number, objectCalls: number }} */
function nothing() {
  return { roundTrips: 0, rowsRead: 0, rowsWritten: 0, objectCalls: 0 }
}

/** The cost since the last call of this. */
export function taken() {
  const answer = cost
  cost = nothing()
  return answer
}

// Everything that the binding sends goes through this one method of its sessions, `raw()` included, whose
// callers never see D1's `meta`.
const session = Object.getPrototypeOf(env.DB.withSession())
const send = session._send
session._send = async function (...query) {
  cost.roundTrips++
  const results = await send.apply(this, query)
  for (const { meta } of [results].flat()) {
    cost.rowsRead += meta.rows_read
    cost.rowsWritten += meta.rows_written
  }
  return results
}

const namespace = Object.getPrototypeOf(env.RATE_LIMITER)
const { getByName } = namespace
namespace.getByName = function (...name) {
  cost.objectCalls++
  return getByName.apply(this, name)
}
