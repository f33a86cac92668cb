// First: it counts what goes through the bindings that the service is about to take.
import { taken } from '../../../bench/server/tap.js'

import service from '../../../src/worker.ts'
import { countsPath } from './counts.ts'

export { TokenBucket } from '../../../src/worker.ts'

/** The service as it is, and a back door that tells what it has cost since it was last asked. */
export default {
  fetch(request: Request): Response | Promise<Response> {
    return new URL(request.url).pathname === countsPath
      ? Response.json(taken())
      : service.fetch(request)
  },
}
