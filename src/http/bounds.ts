import type { Context, Env, MiddlewareHandler } from 'hono'
import { getPath } from 'hono/utils/url'
import { ApiError, brief, FaultList, quote } from '../jsonapi/errors.ts'
import { maxBodyBytes, type ParsedBody, parseBody } from '../jsonapi/json.ts'
import { maxQueryLength } from '../jsonapi/request/parameters.ts'
import type { SentQuery } from '../jsonapi/request/query.ts'
import { withDeadline } from '../lib/deadline.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The path and the query string of the request, as they were sent. */
    target: RequestTarget
    /** The parameters of the query string; not set where it is too long to be read. */
    query: SentQuery
    /**
     * The body of a write, or why it could not be read. It is not set where the query string is too long, and never for an
     * operation that takes no body.
     */
    body: ParsedBody
  }
}

/** The longest header that is read, in characters (contract, section 6). */
export const longestHeader = 8 * 1024

/** The target of a request (RFC 9112, section 3.2.1). The query string has its `?`, and is empty where there is none. */
export interface RequestTarget {
  readonly path: string
  readonly search: string
}

/**
 * Reads the target of a request, and sets `target` and `query`. A query string that is too long is not read (contract, section 6).
 */
export const readTarget: MiddlewareHandler<Env> = function readTarget(c, next) {
  const target = targetIn(c.req.url)
  c.set('target', target)
  if (!isOverlong(target)) {
    c.set('query', readQuery(target.search))
  }
  return next()
}

/** Reads the body of a request within its bounds, and sets `body`. Beside a query string that is too long it is not read. */
export const readBody: MiddlewareHandler<Env> = async function readBody(c, next) {
  if (!isOverlong(c.get('target'))) {
    c.set('body', await bodyOf(c.req.raw))
  }
  await next()
}

/**
 * Refuses a query string that is too long, before anything of the request is validated, so that this fault is told alone
 * (contract, section 6).
 *
 * @throws ApiError VALUE_INVALID_FORMAT
 */
export const boundQuery: MiddlewareHandler<Env> = function boundQuery(c, next) {
  const target = c.get('target')
  if (isOverlong(target)) {
    throw ApiError.of(
      'VALUE_INVALID_FORMAT',
      `The query string has ${target.search.length - 1} characters, but at most ${maxQueryLength} are allowed.`,
    )
  }
  return next()
}

/** Is the query string too long to be read? Its request costs the least price (contract, section 10). */
export function isOverlong({ search }: RequestTarget): boolean {
  return search.length - 1 > maxQueryLength
}

/** The target in a URL. */
export function targetIn(url: string): RequestTarget {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query < 0
    ? { path: url.slice(start), search: '' }
    : { path: url.slice(start, query), search: url.slice(query) }
}

/**
 * The longest path that may name a resource, in characters. The longest id with percent-encoding is shorter. A longer path is not
 * decoded, because Hono catches an exception for each broken escape, which is slow.
 */
const longestPath = 2_048

/** The path of a request, by which its route is found: decoded, unless it is too long to name anything. */
export function boundedPath(request: Request): string {
  const { path } = targetIn(request.url)
  return path.length > longestPath ? path : getPath(request)
}

/** Reads a query string, with its `?`. A parameter with broken encoding is a fault. */
export function readQuery(search: string): SentQuery {
  const faults = new FaultList()
  const sent = new Map<string, string | string[] | null>()
  const broken = new Set<string>()
  // Parameters may have nothing between them.
  for (const pair of search.slice(1).split('&').filter(Boolean)) {
    const [written = '', ...rest] = pair.split('=')
    const name = decoded(written)
    const value = decoded(rest.join('='))
    if (name === undefined || value === undefined) {
      if (!broken.has(pair)) {
        broken.add(pair)
        faults.add(() => ({
          code: 'VALUE_INVALID_FORMAT',
          detail: `The percent-encoding of ${quote(pair)} is broken.`,
          source: { parameter: brief(name ?? written) },
        }))
      }
      if (name !== undefined) {
        sent.set(name, null)
      }
      continue
    }
    const before = sent.get(name)
    if (Array.isArray(before)) {
      before.push(value)
    } else {
      sent.set(name, typeof before === 'string' ? [before, value] : value)
    }
  }
  return { sent: Object.fromEntries(sent), faults }
}

/** The decoded text of a name or a value in a query string; undefined where its encoding is broken. */
function decoded(text: string): string | undefined {
  return isWellEncoded(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : undefined
}

/** Does the percent-encoding of a text stand for well-formed UTF-8? */
export function isWellEncoded(text: string): boolean {
  return !text.includes('%') || wellEncoded.test(text)
}

/**
 * The pattern of percent-encoded, well-formed UTF-8 (RFC 3629, section 4). To catch an exception of decodeURIComponent for each of
 * a thousand texts takes forty times as long, and URLSearchParams takes 27 µs of each request. `H` stands for a hexadecimal digit,
 * `T` for a continuation byte.
 */
const wellEncoded = new RegExp(
  [
    '^(?:[^%]',
    '%[0-7]H',
    '%(?:c[2-9a-f]|dH)T',
    '%(?:e0%[ab]H|e[1-9abcef]T|ed%[89]H)T',
    '%(?:f0%[9ab]H|f[1-3]T|f4%8H)TT)*$',
  ]
    .join('|')
    .replaceAll('T', '%[89ab]H')
    .replaceAll('H', '[0-9a-f]'),
  'i',
)

/** The milliseconds in which the body of a request must arrive (contract, section 5). */
const bodyMs = 10_000

const late = {
  code: 'INVALID_PAYLOAD',
  detail: `The body has not arrived within ${bodyMs / 1_000} seconds.`,
} as const

/** Reads the body of a request within bounds of size and time (contract, section 5). */
async function bodyOf(request: Request): Promise<ParsedBody> {
  // One byte more than is allowed is read, which shows that a body is too long.
  const bytes = await withDeadline(bytesUpTo(request, maxBodyBytes + 1), bodyMs, () => undefined)
  return bytes ? parseBody(bytes) : { ok: false, problem: late }
}

/** Has the request a body? To look at the body makes a stream, which is not needed where its length is declared. */
export function hasBody(request: Request): boolean {
  return request.headers.has('Content-Length') ? declaredLength(request) > 0 : request.body !== null
}

/** The bytes that the request declares for its body; 0 where it declares none. */
function declaredLength({ headers }: Pick<Request, 'headers'>): number {
  return Number(headers.get('Content-Length'))
}

/** The most bytes of a refused body that are still read. A body that declares more is not read at all. */
const mostDrained = 128 * 1024

/** The milliseconds that an answer waits for these bytes. */
const drainMs = 1_000

/**
 * Reads the body of a request that was answered without it, because a proxy on the way may drop a connection with unread
 * bytes. A caller that sends slowly or breaks off delays only its own answer.
 */
export async function drain(c: Context<Env>): Promise<void> {
  const { raw } = c.req
  const isRead = c.get('body') !== undefined
  if (isRead || !hasBody(raw) || declaredLength(raw) > mostDrained) {
    return
  }
  try {
    await withDeadline(bytesUpTo(raw, mostDrained), drainMs, () => undefined)
  } catch {
    // The caller has broken off. The answer stays the same.
  }
}

/** The method of a stream reader that is used. Only the platform has it, so that other types of readers leave it out. */
interface Reader {
  readAtLeast(
    least: number,
    view: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly value?: Uint8Array<ArrayBuffer> | undefined }>
}

/** Bytes of one read: so few that a body which is announced and never sent takes little memory. */
const readBytes = 8 * 1024

/**
 * Reads the body of a request up to a bound, and leaves the rest unread. Each read of a stream in JavaScript costs CPU, and a
 * body without a declared length may come in chunks of one byte, so that the runtime collects the chunks of each read.
 *
 * @param most the most bytes to read
 * @returns the whole body, or the first `most` bytes of a longer one
 * @throws the error of the stream when the caller breaks off
 */
export function bytesUpTo(
  request: Pick<Request, 'headers' | 'body' | 'arrayBuffer'>,
  most: number,
): Promise<ArrayBuffer> {
  const declared = request.headers.get('Content-Length')
  // HTTP bounds a body by its declared length. Reading it as a whole costs less than reading a stream.
  return declared !== null && Number(declared) <= most
    ? request.arrayBuffer()
    : streamedUpTo(request, most)
}

async function streamedUpTo({ body }: Pick<Request, 'body'>, most: number): Promise<ArrayBuffer> {
  const reader = body?.getReader({ mode: 'byob' }) as Reader | undefined
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let left = most; left > 0; ) {
    const wanted = Math.min(left, readBytes)
    const part = (await reader?.readAtLeast(wanted, new Uint8Array(wanted)))?.value
    parts.push(part ?? new Uint8Array())
    // Fewer bytes than were asked for are the last ones.
    left = part?.byteLength === wanted ? left - wanted : 0
  }
  return new Blob(parts).arrayBuffer()
}
