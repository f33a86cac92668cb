// A Worker that tells in a header what each of its answers has cost. The tap comes first: what the bundle does
// when it is loaded goes through it already.
import { taken } from './tap.js'
import worker from './worker.js'

export * from './worker.js'

export default {
  async fetch(request, env, context) {
    taken()
    const response = await worker.fetch(request, env, context)
    const body = await response.arrayBuffer()
    const headers = new Headers(response.headers)
    headers.set('X-Bench-Cost', JSON.stringify(taken()))
    return new Response(body.byteLength > 0 ? body : null, { status: response.status, headers })
  },
}
