import { type Client, createClient } from './generated/client/index.js'
import { createPatientFetch, type Patience, unlessAborted } from './patient-fetch.js'
import { ServiceError } from './service-error.js'

/** How to reach the service. */
export interface Connection extends Patience {
  /** Address of the root path of the API, for instance `https://api.example.com/jsonapi`. */
  readonly baseUrl: string
  /** The access token, or what gets one: it is called before each request, and may keep a token until it expires. */
  readonly token: string | (() => string | Promise<string>)
}

const noToken = 'There is no access token: `token` is one, or a function that returns one.'

/**
 * Creates the client of one caller, for the functions of this package. Refusals are thrown as {@link ServiceError}. Requests are
 * sent again as {@link createPatientFetch} says. Each POST carries an `Idempotency-Key`, so that it can be sent again when its
 * answer is lost; give one yourself to send it again later.
 *
 * @throws TypeError if there is no token
 */
export function connect({ baseUrl, token, ...patience }: Connection): Client {
  if (!token) {
    throw new TypeError(noToken)
  }
  const getToken = async () => (typeof token === 'function' ? token() : token)
  const client = createClient({ baseUrl, fetch: createPatientFetch(patience), throwOnError: true })
  client.interceptors.request.use(async (request, { security }) => {
    if (security && !request.headers.has('Authorization')) {
      const current = await unlessAborted(request.signal, getToken())
      if (!current) {
        throw new TypeError(noToken)
      }
      request.headers.set('Authorization', `Bearer ${current}`)
    }
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
