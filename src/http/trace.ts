import type { MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import { sharedTimer, withDeadline } from '../lib/deadline.ts'
import { lazyFor } from '../lib/lazy.ts'
import { callerText } from '../rate-limit/name.ts'
import type { AppEnv } from './context.ts'
import { tellLength } from './head.ts'
import { requestIdHeader } from './headers.ts'
import { log } from './log.ts'
import { bytesUpTo } from './request-body.ts'
import { isSampled, isTelling, type Sampling } from './sampling.ts'

/** How requests are traced. */
export interface TraceOptions {
  /** Do answers carry `Server-Timing`? */
  readonly serverTiming?: boolean
  /** Gives a keyed hash of a text, as base64url. Where it is absent, the log does not name callers. */
  readonly hash?: (text: string) => Promise<string>
  /** The version of the service for the log. */
  readonly version?: string | undefined
  /** Which requests the log tells; all of them if absent. */
  readonly sampling?: Sampling
}

const everything: Sampling = { share: 1, slowMs: Number.POSITIVE_INFINITY }

/**
 * Makes the middleware that names each request, and writes a line about it to the log when it is answered (contract, section 19).
 * An ordinary request that is not in the sample has no line, and neither has one that is refused from memory, because a line costs
 * more than the refusal: the next line of the isolate counts those refusals.
 */
export function trace(options: TraceOptions): MiddlewareHandler<AppEnv> {
  const { serverTiming, hash, version, sampling = everything } = options
  const nameOf = hash && callerNames(hash)
  /** The remembered refusals since the last line, which have no line of their own. */
  let untold = 0
  return async (c, next) => {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    const timer = sharedTimer()
    c.set('requestId', requestId)
    c.set('withDeadline', timer.withDeadline)
    await next()
    timer.end()
    // To look at a body makes a stream, which is not needed where a step has read it.
    if (!c.get('body') && c.req.raw.body !== null && !c.req.raw.bodyUsed) {
      await drain(c.req.raw)
    }
    if (c.req.method === 'HEAD') {
      await tellLength(c)
    }
    // Handlers that set `operation` have set X-Request-Id already. Reading it from each answer would cost a call out of the
    // isolate.
    if (c.get('operation') === undefined) {
      c.res.headers.set(requestIdHeader, requestId)
    }
    if (serverTiming) {
      c.res.headers.set('Server-Timing', `total;dur=${Date.now() - start}`)
    }
    const { status } = c.res
    const ms = Date.now() - start
    const usage = c.get('usage')
    const verdict = c.get('verdict')
    const isTold = isTelling({ status, ms, attempts: usage?.attempts }, sampling)
    if (!isTold && verdict?.isRemembered) {
      untold += 1
      return
    }
    if (!isTold && !isSampled(requestId, sampling.share)) {
      return
    }
    const principal = c.get('principal')
    const caller = principal && nameOf?.(principal)
    log({
      level: 'info',
      event: 'request',
      requestId,
      method: c.req.method,
      operation: c.get('operation') ?? c.get('page'),
      deprecated: c.get('deprecated'),
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
      caller: caller instanceof Promise ? await caller : caller,
      version,
      share: isTold || sampling.share === 1 ? undefined : sampling.share,
      untold: untold || undefined,
    })
    untold = 0
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
  const declared = request.headers.get('Content-Length')
  if (declared === '0' || Number(declared) > mostDrained) {
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
function callerNames(hash: (text: string) => Promise<string>) {
  return lazyFor(async (principal: Principal) => {
    const name = await hash(callerText(principal))
    return name.slice(0, shownCharacters)
  })
}
