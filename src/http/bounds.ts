import { getPath } from 'hono/utils/url'
import { maxBodyBytes, type ParsedBody, parseBody } from '../jsonapi/json.ts'
import { brief, FaultList, quote } from '../jsonapi/problems.ts'
import type { SentQuery } from '../jsonapi/request/query.ts'
import { withDeadline } from '../lib/deadline.ts'

/** The maximum length of a header that is parsed, in characters. */
export const maxHeaderLength = 8 * 1024

/** The path and the query string of a request as they were sent. The query string has its `?`, and is empty if there is none. */
export interface RequestTarget {
  readonly path: string
  readonly search: string
}

/** A parsed request. */
export interface ParsedRequest extends RequestTarget {
  readonly query: SentQuery
  /** An empty object if the operation accepts no body. */
  readonly body: ParsedBody
}

/** The target in a URL. */
export function targetOf(url: string): RequestTarget {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query < 0
    ? { path: url.slice(start), search: '' }
    : { path: url.slice(start, query), search: url.slice(query) }
}

/** The maximum length of a path that is decoded. The longest id with percent-encoding is shorter. */
const maxPathLength = 2_048

/** The path by which the router finds a route. Hono catches an exception for each broken escape, so a long path is not decoded. */
export function boundedPath(request: Request): string {
  const { path } = targetOf(request.url)
  return path.length > maxPathLength ? path : getPath(request)
}

/** Parses a query string. Broken percent-encoding of a parameter is a fault. */
export function parseQuery(search: string): SentQuery {
  const faults = new FaultList()
  const values = new Map<string, string[]>()
  const broken = new Set<string>()
  for (const pair of search.slice(1).split('&').filter(Boolean)) {
    const [sentName = '', ...rest] = pair.split('=')
    const name = decoded(sentName)
    const value = decoded(rest.join('='))
    if (name !== undefined) {
      const known = values.get(name) ?? []
      values.set(name, known)
      known.push(...(value === undefined ? [] : [value]))
    }
    if ((name === undefined || value === undefined) && !broken.has(pair)) {
      broken.add(pair)
      faults.add(() => ({
        code: 'VALUE_INVALID_FORMAT',
        detail: `The percent-encoding of ${quote(pair)} is broken.`,
        source: { parameter: brief(name ?? sentName) },
      }))
    }
    // An exception for each of a thousand parameters is slow. An answer cannot hold so many faults.
    if (faults.omitted > 0) {
      break
    }
  }
  const sent = [...values].map(([name, all]) => [name, all.length > 1 ? all : (all[0] ?? null)])
  return { sent: Object.fromEntries(sent), faults }
}

/** Decodes a text of a URL. Undefined if its percent-encoding is broken, or not UTF-8. */
export function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) {
    return text
  }
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Milliseconds in which a body must arrive. */
const bodyDeadlineMs = 10_000

/** Reads and parses the body of a request within bounds of size and time. */
export function readBody(request: Request): Promise<ParsedBody> {
  // One byte more than is allowed shows that a body is too long.
  const reading = readUpTo(request, maxBodyBytes + 1).then(parseBody, () =>
    unreadable('The body has broken off.'),
  )
  return withDeadline(reading, bodyDeadlineMs, () =>
    unreadable(`The body has not arrived within ${bodyDeadlineMs / 1_000} seconds.`),
  )
}

function unreadable(detail: string): ParsedBody {
  return { ok: false, problem: { code: 'INVALID_PAYLOAD', detail } }
}

/** Has the request a body? The declared length is looked at first, because `request.body` makes a stream. */
export function hasBody(request: Request): boolean {
  return request.headers.has('Content-Length') ? declaredLength(request) > 0 : request.body !== null
}

/** The declared length of a body in bytes, 0 if none is declared. */
function declaredLength({ headers }: Pick<Request, 'headers'>): number {
  return Number(headers.get('Content-Length'))
}

/** How much of a refused body is read, in bytes and milliseconds. A body of a greater declared length is not read at all. */
const drained = { maxBytes: 128 * 1024, deadlineMs: 1_000 }

/** Reads the rest of a refused body. The runtime closes a connection with unread bytes, maybe before the answer has arrived. */
export async function drainBody(request: Request): Promise<void> {
  const { maxBytes, deadlineMs } = drained
  if (request.bodyUsed || !hasBody(request) || declaredLength(request) > maxBytes) {
    return
  }
  // The answer stays the same if the caller breaks off.
  const reading = readUpTo(request, maxBytes).catch(() => {})
  await withDeadline(reading, deadlineMs, () => undefined)
}

/** The part of a stream reader that is used. Only workerd has it, so it is not in the common types. */
interface Reader {
  readAtLeast(
    minBytes: number,
    view: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly value?: Uint8Array<ArrayBuffer> | undefined }>
}

/** Bytes of one read. */
const readBytes = 8 * 1024

/**
 * Reads a body, at most `maxBytes` of it.
 *
 * @throws the error of the stream if the caller breaks off
 */
export async function readUpTo(
  request: Pick<Request, 'headers' | 'body' | 'arrayBuffer'>,
  maxBytes: number,
): Promise<ArrayBuffer> {
  if (request.headers.has('Content-Length') && declaredLength(request) <= maxBytes) {
    return request.arrayBuffer()
  }
  // A body may come in chunks of one byte. The runtime collects the chunks of each read, which costs less than a read for each.
  const reader = request.body?.getReader({ mode: 'byob' }) as Reader | undefined
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let left = maxBytes; left > 0; ) {
    const wanted = Math.min(left, readBytes)
    const part = (await reader?.readAtLeast(wanted, new Uint8Array(wanted)))?.value
    parts.push(part ?? new Uint8Array())
    // Fewer bytes than were asked for are the last ones.
    left = part?.byteLength === wanted ? left - wanted : 0
  }
  return new Blob(parts).arrayBuffer()
}
