import { type Client, createClient } from './generated/client/index.js'
import { createPatientFetch, type Patience } from './patient-fetch.js'
import { ServiceError } from './service-error.js'

/** How to reach the service. */
export interface Connection extends Patience {
  /** Address of the root path of the API, for instance `https://api.example.com/jsonapi`. */
  readonly baseUrl: string
  /** The access token, or what gets one: it is asked before each request, and may keep a token until it expires. */
  readonly token: string | (() => string | Promise<string>)
}

/**
 * A client of one caller, for the functions of this package. Refusals are thrown as {@link ServiceError}. Requests are sent
 * again as {@link createPatientFetch} says. Each POST carries an `Idempotency-Key`, so that it can be sent again when its
 * answer is lost; give one yourself to send it again later.
 */
export function connect({ baseUrl, token, ...patience }: Connection): Client {
  const auth = typeof token === 'string' ? token : () => token()
  const client = createClient({
    baseUrl,
    auth,
    fetch: createPatientFetch(patience),
    throwOnError: true,
  })
  client.interceptors.request.use((request) => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID())
    }
    return request
  })
  client.interceptors.error.use((error, response) =>
    // A lost connection is an error already.
    error instanceof Error || !response ? error : new ServiceError(response.status, error),
  )
  return client
}
