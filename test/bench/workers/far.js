import { env } from 'cloudflare:workers'

// A Worker whose database, limiter and issuer are far away: each call of them waits as long as the way there and back
// takes. What the bundle does when it is loaded goes through this already, so that it is imported first.

/** Waits for one way there and back. */
const way = () => new Promise((resolve) => setTimeout(resolve, Number(env.BENCH_WAY)))

// Everything that the binding sends goes through this one method of its sessions.
const session = Object.getPrototypeOf(env.DB.withSession())
const send = session._send
session._send = async function (...query) {
  await way()
  return send.apply(this, query)
}

const namespace = Object.getPrototypeOf(env.RATE_LIMITER)
const { getByName } = namespace
namespace.getByName = function (...name) {
  const stub = getByName.apply(this, name)
  return {
    async takeTokens(...cost) {
      await way()
      return stub.takeTokens(...cost)
    },
  }
}

const { fetch } = globalThis
globalThis.fetch = async (...request) => {
  await way()
  return fetch(...request)
}
