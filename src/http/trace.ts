import type { MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import { withDeadline } from '../lib/deadline.ts'
import { callerText } from '../rate-limit/name.ts'
import type { AppEnv } from './context.ts'
import { requestIdHeader } from './headers.ts'
import { log } from './log.ts'
import { bytesUpTo } from './request-body.ts'

/** How requests are traced. */
export interface TraceOptions {
  /** Do answers carry `Server-Timing`? */
  readonly serverTiming?: boolean
  /** Gives a keyed hash of a text, as base64url. Where it is absent, the log does not name callers. */
  readonly hash?: (text: string) => Promise<string>
  /** The version of the service for the log. */
  readonly version?: string | undefined
}

/** Makes the middleware that names each request, and writes a line about it to the log when it is answered. */
export function trace({ serverTiming, hash, version }: TraceOptions): MiddlewareHandler<AppEnv> {
  const nameOf = hash && callerNames(hash)
  return async (c, next) => {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    await drain(c.req.raw)
    // Handlers that set `operation` have set X-Request-Id already. Reading it from each answer would cost a call out of the
    // isolate.
    if (c.get('operation') === undefined) {
      c.res.headers.set(requestIdHeader, requestId)
    }
    if (serverTiming) {
      c.res.headers.set('Server-Timing', `total;dur=${Date.now() - start}`)
    }
    const principal = c.get('principal')
    const verdict = c.get('verdict')
    log('info', 'request', {
      requestId,
      method: c.req.method,
      operation: c.get('operation') ?? c.get('page'),
      resource: isFound(c.res.status) ? c.get('resourceId') : undefined,
      status: c.res.status,
      ms: Date.now() - start,
      limit: verdict && (verdict.allowed ? 'allowed' : 'refused'),
      ...c.get('session')?.usage,
      caller: principal && (await nameOf?.(principal)),
      version,
    })
  }
}

/** The most bytes of a refused body that are still read. A body that declares more is not read at all. */
const mostDrained = 128 * 1024

/** The milliseconds that an answer waits for these bytes. */
const drainMs = 1_000

/**
 * Reads the body of a request that was refused before it was read, because a proxy on the way may drop a connection with unread
 * bytes. A caller that sends slowly or breaks off delays only its own answer.
 */
async function drain(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) {
    return
  }
  const declared = Number(request.headers.get('Content-Length') ?? 0)
  if (declared > mostDrained) {
    return
  }
  try {
    await withDeadline(bytesUpTo(request, mostDrained), drainMs, () => undefined)
  } catch {
    // The caller has broken off. The answer stays the same.
  }
}

/**
 * Does the status show that the resource in the path exists? A success does, and so does a refusal because of ownership or a
 * conflict. Otherwise the path may hold anything, for example an e-mail address, which must not be in the log.
 */
function isFound(status: number): boolean {
  return status < 400 || status === 403 || status === 409
}

/** The characters of a caller's hash that the log shows: 96 bits. */
const shownCharacters = 16

/** Makes the names of callers in the log. They tell whether two callers are the same, but not who they are. */
function callerNames(
  hash: (text: string) => Promise<string>,
): (principal: Principal) => Promise<string> {
  const names = new WeakMap<Principal, string>()
  return async (principal) => {
    const known = names.get(principal)
    if (known !== undefined) {
      return known
    }
    const name = (await hash(callerText(principal))).slice(0, shownCharacters)
    names.set(principal, name)
    return name
  }
}
