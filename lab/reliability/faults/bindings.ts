import { env } from 'cloudflare:workers'
import { type Buckets, databaseOf, objectsOf } from './injected.ts'

/**
 * Puts faults between the service and what it is bound to. Loaded before the service, which takes its bindings
 * from `env` once: what it gets are the real ones, behind wrappers that fail as the plan of a request says.
 */
const bindings = env as unknown as Record<string, unknown>

/** The database without faults. */
export const database = bindings.DB as D1Database

bindings.DB = databaseOf(database)
bindings.RATE_LIMITER = objectsOf(bindings.RATE_LIMITER as Buckets)
