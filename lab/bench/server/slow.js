import { env } from 'cloudflare:workers'

// A Worker whose database, limiter and issuer are far away: each call of them waits as long as the way there and back
// takes. What the bundle does when it is loaded goes through this already, so that it is imported first.

/** @type {import('../network/ways.ts').Ways} */
const ways = JSON.parse(env.BENCH_WAYS)
let calls = 0

/**
 * Waits for one way there and back.
 *
 * @param {number} milliseconds
 */
function way(milliseconds) {
  const varied = milliseconds * (1 + ways.jitter * (Math.random() * 2 - 1))
  return varied > 0 ? new Promise((resolve) => setTimeout(resolve, varied)) : undefined
}

/** Every so many calls of the database one waits longer. */
function stall() {
  calls++
  return ways.stallEvery > 0 && calls % ways.stallEvery === 0 ? way(ways.stallMs) : undefined
}

// Everything that the binding sends goes through this one method of its sessions.
const session = Object.getPrototypeOf(env.DB.withSession())
const send = session._send
session._send = async function (...query) {
  await stall()
  await way(ways.database)
  return send.apply(this, query)
}

const namespace = Object.getPrototypeOf(env.RATE_LIMITER)
const { getByName } = namespace
namespace.getByName = function (...name) {
  const stub = getByName.apply(this, name)
  return {
    async take(...cost) {
      await way(ways.object)
      return stub.take(...cost)
    },
  }
}

const { fetch } = globalThis
globalThis.fetch = async (...request) => {
  await way(ways.issuer)
  return fetch(...request)
}
