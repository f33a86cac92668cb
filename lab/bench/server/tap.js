import { env } from 'cloudflare:workers'

/** What requests have cost since it was last asked, as D1 itself tells it. */
let cost = nothing()

/** @returns {import('./tap.js').Counts} */
function nothing() {
  return {
    roundTrips: 0,
    statements: 0,
    rowsRead: 0,
    rowsWritten: 0,
    objectCalls: 0,
    databaseBytes: 0,
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
  // What has failed tells nothing of its cost, and is an error only above this.
  for (const { meta } of [results].flat().filter((result) => result.meta)) {
    cost.statements++
    // What failed tells no cost; the binding turns it into an error after this.
    if (!meta) {
      continue
    }
    cost.databaseBytes = meta.size_after
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
