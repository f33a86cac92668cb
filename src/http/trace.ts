import type { MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import { withDeadline } from '../lib/deadline.ts'
import { callerText } from '../rate-limit/name.ts'
import type { AppEnv } from './context.ts'
import { requestIdHeader } from './headers.ts'
import { log } from './log.ts'
import { bytesUpTo } from './request-body.ts'

/** What the trace of requests needs. */
export interface TraceOptions {
  /** Do answers carry `Server-Timing`? */
  readonly serverTiming?: boolean
  /** A keyed hash of a text, as base64url. Without it the log tells nothing of callers. */
  readonly hash?: (text: string) => Promise<string>
  /** Which version of the service runs, as the log tells it. */
  readonly version?: string | undefined
}

/** Names every request, and writes one line about it when it is answered. */
export function trace({ serverTiming, hash, version }: TraceOptions): MiddlewareHandler<AppEnv> {
  const nameOf = hash && callerNames(hash)
  return async (c, next) => {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    await drain(c.req.raw)
    // Handlers that set `operation` have already sent X-Request-Id. To read it from each answer would cost a call out of the
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

/** Bytes of a refused body that are still read; of one that declares more, none are. */
const mostDrained = 128 * 1024

/** Milliseconds that an answer waits for them. */
const drainMs = 1_000

/**
 * Reads the body that a refusal has left: a proxy on the way may drop a connection with unread bytes. A
 * caller that sends it slowly or breaks off delays only its own answer.
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
    // The caller is gone, and its answer stays the same.
  }
}

/**
 * Does the status tell that the resource exists? Success does, and a refusal of the owner or for a conflict.
 * What else stands in a path may be anything, an e-mail address too.
 */
function isFound(status: number): boolean {
  return status < 400 || status === 403 || status === 409
}

/** Characters of a caller's hash that the log shows: 96 bits. */
const shownCharacters = 16

/** Names callers in the log: the names tell whether two callers are the same, not who they are. */
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
