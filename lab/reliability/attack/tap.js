import { env } from 'cloudflare:workers'

/** What requests have cost since it was last asked, as D1 itself tells it. */
let cost = nothing()

/** @returns {import('./tap.js').Counts} */
function nothing() {
  return {
    roundTrips: 0,
    rowsRead: 0,
    rowsWritten: 0,
    changes: 0,
    objectCalls: 0,
  }
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
  for (const { success, meta } of [results].flat()) {
    // What has failed tells nothing of its cost. The binding turns it into an error after this.
    if (!success) {
      continue
    }
    cost.rowsRead += meta.rows_read
    cost.rowsWritten += meta.rows_written
    cost.changes += meta.changes
  }
  return results
}

const namespace = Object.getPrototypeOf(env.RATE_LIMITER)
const { getByName } = namespace
namespace.getByName = function (...name) {
  cost.objectCalls++
  return getByName.apply(this, name)
}
