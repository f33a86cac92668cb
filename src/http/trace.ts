import type { Env, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { drain } from './bounds.ts'
import type { CallerName } from './callers.ts'
import { describe, log, stackOf } from './log.ts'
import { tellLength } from './respond.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** Names the request in the answer (`X-Request-Id`) and in every log line. */
    requestId: string
    /** The name in the log of the operation or page: `users.get`, `users.relatives.addMany`, `docs`; not set where there is none. */
    operation: string
  }
}

/** The header that names the request, in its answer and in the log. */
export const requestIdHeader = 'X-Request-Id'

/** How requests are traced. */
export interface TraceOptions {
  /** Where it is absent, the log does not name callers. */
  readonly callerName?: CallerName
  /** The version of the service for the log. */
  readonly version?: string | undefined
  /** The share of ordinary requests that are logged, from 0 to 1; all of them if absent. */
  readonly logShare?: number
}

/** Sets `operation`. */
export function named(name: string): MiddlewareHandler<Env> {
  return function named(c, next) {
    c.set('operation', name)
    return next()
  }
}

/** A request that has taken so many milliseconds is always logged. */
const slowMs = 1_000

/**
 * Names each request, and writes a line about it to the log when it is answered, behind another one where it has failed. Requests
 * that fail or are slow are always logged, and of the others a share.
 */
export function trace(options: TraceOptions): MiddlewareHandler<Env> {
  const { callerName, version, logShare = 1 } = options
  return async function trace(c, next) {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    await drain(c)
    if (c.req.method === 'HEAD') {
      await tellLength(c.res)
    }
    c.res.headers.set(requestIdHeader, requestId)
    const { status } = c.res
    const operation = c.get('operation')
    if (c.error && status >= 500) {
      logFailure(c.error, requestId, operation)
    }
    const ms = Date.now() - start
    const isOrdinary = status < 500 && ms < slowMs
    if (isOrdinary && !isSampled(requestId, logShare)) {
      return
    }
    const usage = c.get('usage')
    const verdict = c.get('verdict')
    const principal = c.get('principal')
    log({
      level: 'info',
      event: 'request',
      requestId,
      method: c.req.method,
      operation,
      resource: isFound(status) ? c.get('resourceId') : undefined,
      status,
      ms,
      limit: verdict && (verdict.allowed ? 'allowed' : 'refused'),
      roundTrips: usage?.roundTrips,
      attempts: usage?.attempts,
      caller: principal && (await callerName?.(principal)),
      version,
      share: isOrdinary && logShare < 1 ? logShare : undefined,
    })
  }
}

/** Writes the cause of a failure to the log, which its caller is not told. */
function logFailure(error: Error, requestId: string, operation: string | undefined): void {
  const cause = error instanceof ApiError ? (error.cause ?? error) : error
  log({
    level: 'error',
    event: 'failure',
    requestId,
    // The id of the first error of the answer, and a failure has no other.
    errorId: `${requestId}.1`,
    operation,
    cause: describe(cause),
    stack: stackOf(cause),
  })
}

/**
 * Is an ordinary request in the sample? Its id alone decides, so that the same id always gives the same answer.
 *
 * @param requestId a random UUID that the service has chosen, so that no caller can influence the choice
 */
export function isSampled(requestId: string, share: number): boolean {
  return share >= 1 || Number.parseInt(requestId.slice(0, 8), 16) / 2 ** 32 < share
}

/**
 * Does the status show that the resource in the path exists? A success does, and so does a refusal because of ownership or a
 * conflict. Otherwise the path may hold anything, for example an e-mail address, which must not be in the log.
 */
function isFound(status: number): boolean {
  return status < 400 || status === 403 || status === 409
}
