import type { Context, Env } from 'hono'
import { getPath } from 'hono/utils/url'
import { addUnreadable, maxBodyBytes, parseBody } from '../jsonapi/json.ts'
import { brief, type ProblemList, quote } from '../jsonapi/problems.ts'
import { decodePart, type SentParameters } from '../jsonapi/request/query.ts'
import { maxQueryLength } from '../jsonapi/request/query-parameters.ts'
import type { RequestTarget } from '../jsonapi/run/views.ts'
import { withDeadline } from '../lib/deadline.ts'

/** The maximum length of a header that is parsed, in characters. */
export const maxHeaderLength = 8 * 1024

declare module 'hono' {
  interface ContextVariableMap {
    /** The parsed body. Not set if the operation accepts none, or if it cannot be parsed. */
    body: object | undefined
  }
}

/** The path and the query string of a URL as they were sent. The query string has its `?`, and is empty if there is none. */
export function targetOf(url: string): RequestTarget {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query < 0
    ? { path: url.slice(start), search: '' }
    : { path: url.slice(start, query), search: url.slice(query) }
}

/** The maximum length of a path that is decoded. The longest id with percent-encoding is shorter. */
const maxPathLength = 2_048

/**
 * The path by which the router finds a route. A long one is not decoded: [Hono catches](https://github.com/honojs/hono/blob/main/src/utils/url.ts)
 * an exception for each broken escape.
 */
export function boundedPath(request: Request): string {
  const { path } = targetOf(request.url)
  return path.length > maxPathLength ? path : getPath(request)
}

/** Adds the problem of a query string that is too long. */
export function validateLength({ search }: RequestTarget, problems: ProblemList): void {
  const length = search.length - 1
  if (length > maxQueryLength) {
    const detail = `The query string has ${length} characters, but at most ${maxQueryLength} are allowed.`
    problems.addProblem(detail)
  }
}

/** Parses a query string. Broken percent-encoding of a parameter is a problem. */
export function parseQuery({ search }: RequestTarget, problems: ProblemList): SentParameters {
  const values = new Map<string, string[]>()
  const broken = new Set<string>()
  for (const pair of search.slice(1).split('&').filter(Boolean)) {
    const [sentName = '', ...rest] = pair.split('=')
    const name = decodeForm(sentName)
    const value = decodeForm(rest.join('='))
    if (name !== undefined) {
      const known = values.get(name) ?? []
      values.set(name, known)
      known.push(...(value === undefined ? [] : [value]))
    }
    if ((name === undefined || value === undefined) && !broken.has(pair)) {
      broken.add(pair)
      const parameter = brief(name ?? sentName)
      problems.addProblem(`The percent-encoding of ${quote(pair)} is broken.`, { parameter })
    }
    // An exception for each of a thousand parameters is slow. An answer cannot hold so many problems.
    if (problems.omitted > 0) {
      break
    }
  }
  const sent = [...values].map(([name, all]) => [name, all.length > 1 ? all : (all[0] ?? null)])
  return Object.fromEntries(sent)
}

function decodeForm(text: string): string | undefined {
  return decodePart(text.replaceAll('+', ' '))
}

/** Milliseconds in which a body must arrive. */
const bodyDeadlineMs = 10_000

/** Reads and parses the body of a request within bounds of size and time. Sets `body`. */
export async function readBody(c: Context<Env>, problems: ProblemList) {
  // One byte more than is allowed shows that a body is too long.
  const reading = bytesOf(c.req.raw, maxBodyBytes + 1).catch(() => 'The body has broken off.')
  const late = () => `The body has not arrived within ${bodyDeadlineMs / 1_000} seconds.`
  const read = await withDeadline(reading, bodyDeadlineMs, late)
  const body = typeof read === 'string' ? addUnreadable(read, problems) : parseBody(read, problems)
  c.set('body', body)
  return body
}

/** The first bytes of a body, or all of it if its declared length is within the bound. */
function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array | ArrayBuffer> {
  return request.headers.has('Content-Length') && declaredLength(request) <= maxBytes
    ? request.arrayBuffer()
    : readUpTo(request.body, maxBytes)
}

/** Has the request a body? The declared length is looked at first, because `request.body` makes a stream. */
export function hasBody(request: Request): boolean {
  return request.headers.has('Content-Length') ? declaredLength(request) > 0 : request.body !== null
}

/** The declared length of a body in bytes, 0 if none is declared. */
function declaredLength({ headers }: Request): number {
  return Number(headers.get('Content-Length'))
}

/** How many bytes of a refused body are read. If it declares more, none are read. */
const maxDrainedBytes = 128 * 1024

/** Milliseconds for which a refused body is read. */
const drainDeadlineMs = 1_000

/** Reads what a refusal has left of a body, because a connection with unread bytes is closed, maybe before the answer has arrived. */
export async function drainBody(request: Request): Promise<void> {
  if (!request.bodyUsed && hasBody(request) && declaredLength(request) <= maxDrainedBytes) {
    // The answer stays the same if the caller breaks off.
    const reading = bytesOf(request, maxDrainedBytes).catch(() => {})
    await withDeadline(reading, drainDeadlineMs, () => undefined)
  }
}

/** The reader of a stream of bytes, with an option that not all types have. */
interface Reader {
  read(
    view: Uint8Array<ArrayBuffer>,
    options: { readonly min: number },
  ): Promise<{ readonly value?: Uint8Array<ArrayBuffer> | undefined }>
}

/**
 * Reads at most `maxBytes` of a body in one read, even if it comes in chunks of one byte
 * ([`min`](https://developers.cloudflare.com/workers/runtime-apis/streams/readablestreambyobreader/)).
 *
 * @throws the error of the stream if the sender breaks off
 */
export async function readUpTo(body: ReadableStream | null, maxBytes: number) {
  const reader = body?.getReader({ mode: 'byob' }) as Reader | undefined
  const part = await reader?.read(new Uint8Array(maxBytes), { min: maxBytes })
  return part?.value ?? new Uint8Array()
}
