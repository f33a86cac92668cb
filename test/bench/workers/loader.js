import { DurableObject } from 'cloudflare:workers'

// Loads the Worker that a request carries into an isolate of its own, and gives the first answer of it. Its process is warm, so
// that it shows what loading takes much more exactly than a process that has to start first.

export class TokenBucket extends DurableObject {}

let loaded = 0

export default {
  async fetch(request, { LOADER, DB, RATE_LIMITER, BENCH_COMPATIBILITY, ...vars }) {
    const compatibility = JSON.parse(BENCH_COMPATIBILITY)
    const script = await request.text()
    loaded++
    const worker = LOADER.get(`worker-${loaded}`, () => ({
      compatibilityDate: compatibility.date,
      compatibilityFlags: compatibility.flags,
      mainModule: 'worker.js',
      modules: { 'worker.js': script },
      env: vars,
    }))
    return worker.getEntrypoint().fetch(request.url)
  },
}
