import type { Env, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'

/** Seconds after which a refused write may be tried again. Nobody knows how long the operator needs, so that this bounds the wait after it. */
const retryAfter = 30

/**
 * Refuses writes while the service takes none (contract, section 22). It comes before the body's media type is looked at, and before
 * anything is asked of the database, so that no key is looked up either.
 *
 * @throws ApiError INTERNAL_SERVER_ERROR with `Retry-After`, which says so
 */
export const refuseWrite: MiddlewareHandler<Env> = async function refuseWrite() {
  throw ApiError.failure(
    'The service takes no writes at present, and this one has changed nothing. Reads are answered. Send it again later.',
    'READ_ONLY is set',
    retryAfter,
  )
}
