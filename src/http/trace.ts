import type { Context, Env, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { bytesUpTo } from './bounds.ts'
import type { CallerName } from './callers.ts'
import { describe, log, stackOf } from './log.ts'

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
  /** Do answers carry `Server-Timing`? */
  readonly serverTiming?: boolean
  /** Where it is absent, the log does not name callers. */
  readonly callerName?: CallerName
  /** The version of the service for the log. */
  readonly version?: string | undefined
  /** Which requests the log tells; all of them if absent. */
  readonly sampling?: Sampling
}

/** Sets `operation`. */
export function named(name: string): MiddlewareHandler<Env> {
  return async function named(c, next) {
    c.set('operation', name)
    await next()
  }
}

/** Which requests are written to the log. */
export interface Sampling {
  /** The share of ordinary requests, from 0 to 1. */
  readonly share: number
  /** A request that has taken so many milliseconds is slow. */
  readonly slowMs: number
}

const everything: Sampling = { share: 1, slowMs: Number.POSITIVE_INFINITY }

/**
 * Names each request, and writes a line about it to the log when it is answered, behind another one where it has failed (contract,
 * section 19). An ordinary request that is not in the sample has no line, and neither has one that is refused from memory, because a
 * line costs more than the refusal: the next line of the isolate counts those refusals. The same holds for a blocked caller whose
 * token was refused before.
 */
export function trace(options: TraceOptions): MiddlewareHandler<Env> {
  const { serverTiming, callerName, version, sampling = everything } = options
  /** The remembered refusals since the last line, which have no line of their own. */
  let untold = 0
  return async function trace(c, next) {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    await drain(c)
    if (c.req.method === 'HEAD') {
      await tellLength(c)
    }
    c.res.headers.set(requestIdHeader, requestId)
    if (serverTiming) {
      c.res.headers.set('Server-Timing', `total;dur=${Date.now() - start}`)
    }
    const { status } = c.res
    const operation = c.get('operation')
    if (c.error && status >= 500) {
      logFailure(c.error, requestId, operation)
    }
    const ms = Date.now() - start
    const usage = c.get('usage')
    const verdict = c.get('verdict')
    const isTold = isTelling({ status, ms, attempts: usage?.attempts }, sampling)
    if (!isTold && (verdict?.isRemembered || c.get('blocked') === 'repeated')) {
      untold += 1
      return
    }
    if (!isTold && !isSampled(requestId, sampling.share)) {
      return
    }
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
      rowsRead: usage?.rowsRead,
      rowsWritten: usage?.rowsWritten,
      attempts: usage?.attempts,
      undone: usage?.undone || undefined,
      undoneMs: usage?.undone ? usage.undoneMs : undefined,
      caller: principal && (await callerName?.(principal)),
      version,
      share: isTold || sampling.share === 1 ? undefined : sampling.share,
      untold: untold || undefined,
    })
    untold = 0
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

/** What has become of a request. */
interface Outcome {
  readonly status: number
  readonly ms: number
  /** The most attempts that a call of D1 has taken. */
  readonly attempts?: number | undefined
}

/**
 * Does the log tell every such request (contract, section 19)? It does where the service failed, was slow, or had to ask D1 again.
 * Faults of callers are no failures: who sends the most of them would decide what the log costs.
 */
export function isTelling({ status, ms, attempts = 0 }: Outcome, { slowMs }: Sampling): boolean {
  return status >= 500 || ms >= slowMs || attempts > 1
}

/**
 * Is an ordinary request in the sample? Its id alone decides, so that the same id always gives the same answer.
 *
 * @param requestId a random UUID that the service has chosen, so that no caller can influence the choice
 */
export function isSampled(requestId: string, share: number): boolean {
  return share >= 1 || Number.parseInt(requestId.slice(0, 8), 16) / 2 ** 32 < share
}

/** The most bytes of a refused body that are still read. A body that declares more is not read at all. */
const mostDrained = 128 * 1024

/** The milliseconds that an answer waits for these bytes. */
const drainMs = 1_000

/**
 * Reads the body of a request that was refused before it was read, because a proxy on the way may drop a connection with unread
 * bytes. A caller that sends slowly or breaks off delays only its own answer. The body of a blocked caller is not read.
 */
async function drain(c: Context<Env>): Promise<void> {
  const { raw } = c.req
  // To look at a body makes a stream, which is not needed where a step has read it.
  if (c.get('blocked') || c.get('body') || raw.body === null || raw.bodyUsed) {
    return
  }
  const declared = raw.headers.get('Content-Length')
  if (declared === '0' || Number(declared) > mostDrained) {
    return
  }
  try {
    await withDeadline(bytesUpTo(raw, mostDrained), drainMs, () => undefined)
  } catch {
    // The caller has broken off. The answer stays the same.
  }
}

/**
 * Tells in the answer to a HEAD how long the body of a GET would be (RFC 9110, section 9.3.2). Hono leaves the body out later. A
 * client of HTTP/1.1 can take an answer without a length to end with the connection, and makes a new one for each request.
 */
async function tellLength({ res }: Context<Env>): Promise<void> {
  if (res.body !== null && !res.headers.has('Content-Length')) {
    const { byteLength } = await res.arrayBuffer()
    res.headers.set('Content-Length', String(byteLength))
  }
}

/**
 * Does the status show that the resource in the path exists? A success does, and so does a refusal because of ownership or a
 * conflict. Otherwise the path may hold anything, for example an e-mail address, which must not be in the log.
 */
function isFound(status: number): boolean {
  return status < 400 || status === 403 || status === 409
}
