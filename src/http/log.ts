import type { Context, Env, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/problems.ts'
import { rateLimitHeaders } from '../rate-limit/bucket.ts'
import { drainBody } from './bounds.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** Names the request in its answer and in the log. No id that a client sends is accepted. */
    requestId: string
    /** The name of the caller in the log. Not set if the token is refused. */
    caller: string
    /** The name of the operation or page in the log: `users.get`, `users.relatives.addMany`, `docs`. Not set if there is none. */
    operation: string
  }
}

/** The header that names the request, in its answer and in the log. */
export const requestIdHeader = 'X-Request-Id'

/** How requests are traced. */
export interface TraceOptions {
  /** The version of the service for the log. */
  readonly version?: string | undefined
  /** The share of ordinary requests that are logged, from 0 to 1. All of them if absent. */
  readonly logShare?: number
}

/** Sets `operation`. */
export function nameOperation(name: string): MiddlewareHandler<Env> {
  return function nameOperation(c, next) {
    c.set('operation', name)
    return next()
  }
}

/** Requests that take so many milliseconds are always logged. */
const slowMs = 1_000

/** Runs around everything else. Adds the headers that each answer has, and writes a line about the request to the log. */
export function trace({ logShare = 1, version }: TraceOptions): MiddlewareHandler<Env> {
  return async function trace(c, next) {
    const start = Date.now()
    c.set('requestId', crypto.randomUUID())
    await next()
    await drainBody(c.req.raw)
    await finish(c)
    const ms = Date.now() - start
    const isOrdinary = c.res.status < 500 && ms < slowMs
    if (c.error && c.res.status >= 500) {
      logFailure(c, c.error)
    }
    if (!isOrdinary || isSampled(c.get('requestId'), logShare)) {
      logRequest(c, { ms, version, share: isOrdinary && logShare < 1 ? logShare : undefined })
    }
  }
}

/** Adds the id of the request and the verdict of the limiter to the answer, and the length to the answer to a HEAD. */
async function finish(c: Context<Env>): Promise<void> {
  const { headers } = c.res
  headers.set(requestIdHeader, c.get('requestId'))
  const verdict = c.get('verdict')
  if (verdict) {
    for (const [name, value] of rateLimitHeaders(verdict)) {
      headers.set(name, value)
    }
  }
  // Without a length, a client of HTTP/1.1 may wait for the end of the connection.
  if (c.req.method === 'HEAD' && c.res.body !== null && !headers.has('Content-Length')) {
    const { byteLength } = await c.res.arrayBuffer()
    headers.set('Content-Length', String(byteLength))
  }
}

/** Writes the cause of a failure to the log. Its caller is not told. */
function logFailure(c: Context<Env>, error: Error): void {
  const { requestId, operation } = c.var
  const cause = error instanceof ApiError ? (error.cause ?? error) : error
  // The id of the first error of the answer. A failure has no other.
  const errorId = `${requestId}.1`
  const text = { cause: describe(cause), stack: stackOf(cause) }
  log({ level: 'error', event: 'failure', requestId, errorId, operation, ...text })
}

function logRequest(c: Context<Env>, more: Pick<LogLine, 'ms' | 'version' | 'share'>): void {
  const { status } = c.res
  const { requestId, operation, resourceId, usage, verdict, caller } = c.var
  log({
    level: 'info',
    event: 'request',
    requestId,
    method: c.req.method,
    operation,
    resource: exists(status) ? resourceId : undefined,
    status,
    limit: verdict && (verdict.allowed ? 'allowed' : 'refused'),
    roundTrips: usage?.roundTrips,
    attempts: usage?.attempts,
    caller,
    ...more,
  })
}

/** Is an ordinary request in the sample? The service chooses the ids, so no caller can influence it. */
function isSampled(requestId: string, share: number): boolean {
  return share >= 1 || Number.parseInt(requestId.slice(0, 8), 16) / 2 ** 32 < share
}

/** Does the status show that the resource in the path exists? Otherwise the path may hold anything, such as an e-mail address. */
function exists(status: number): boolean {
  return status < 400 || status === 403 || status === 409
}

/** A line of the log. No member may hold a token, a query value or personal data. A member that is undefined is left out. */
interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly [member: string]: string | number | boolean | undefined
}

/** Writes a line of JSON to the log, at a level that the platform counts. */
export function log(line: LogLine): void {
  console[line.level === 'error' ? 'error' : 'log'](JSON.stringify(line))
}

/** The messages of an error and its causes, for the log only. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const cause = error.cause === undefined ? '' : ` < ${describe(error.cause)}`
  return `${error.name}: ${error.message}${cause}`
}

/** The stack frames of an error, for the log only. The message is left out. */
function stackOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.length === 0 ? undefined : frames.map((line) => line.trim()).join('\n')
}
