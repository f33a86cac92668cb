import type { Context, Env } from 'hono'
import { jsonapi, mediaType } from '../jsonapi/json.ts'
import { ApiError, errorCodes, maxErrors, type Problem } from '../jsonapi/problems.ts'
import type { Answer } from '../jsonapi/run/render.ts'
import { preconditionFailed } from '../jsonapi/run/write-operation.ts'
import { maxHeaderLength } from './bounds.ts'

/** The headers that every answer has unless it replaces them: what it varies by, and rules for browsers. */
const baseHeaders = {
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

const emptyHeaders = new Headers(baseHeaders)
const jsonApiHeaders = new Headers({ ...baseHeaders, 'Content-Type': mediaType })

/** `Cache-Control` of the pages about the service. */
export const publicCaching = 'public, max-age=300'

/** The headers of pages about the service, which are the same for all callers. */
export const publicHeaders: Readonly<Record<string, string>> = {
  ...baseHeaders,
  Vary: 'Accept',
  'Cache-Control': publicCaching,
}

/** Makes a response. Its own headers replace those that every answer has. */
export function responseOf(
  body: BodyInit | undefined,
  status: number,
  own: Readonly<Record<string, string>> = {},
): Response {
  const headers = body === undefined ? emptyHeaders : jsonApiHeaders
  const response = new Response(body ?? null, { status, headers })
  for (const [name, value] of Object.entries(own)) {
    response.headers.set(name, value)
  }
  return response
}

/** The bytes of an answer, and its entity tag without quotes. */
export interface TaggedBody {
  readonly bytes: ReturnType<TextEncoder['encode']>
  readonly tag: string
}

type Body = string | TaggedBody['bytes']

const utf8 = new TextEncoder()

/** Makes the entity tag of a body: its digest, after the revision of the resource that it shows. */
export async function tagBody(body: Body, revision?: string): Promise<TaggedBody> {
  const bytes = typeof body === 'string' ? utf8.encode(body) : body
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  const shortened = btoa(String.fromCharCode(...new Uint8Array(digest, 0, 16))).slice(0, 22)
  return { bytes, tag: revision === undefined ? shortened : `${revision}.${shortened}` }
}

/** What a response says beside its body. */
type Head = Omit<Answer, 'body' | 'createdId'>

/** The answer to a read: a document, or bytes of another media type. */
type ReadAnswer = Head & { readonly body?: Body }

/** Makes the response of a read. @throws ApiError 412 */
export async function respondRead(c: Context<Env>, answer: ReadAnswer): Promise<Response> {
  return respondTagged(c, answer, await tagBody(answer.body ?? '', answer.revision))
}

/**
 * Makes the response of a GET, or a 304 if `If-None-Match` lists its tag.
 *
 * @throws ApiError 412 if `If-Match` lists neither the tag nor another one of its revision
 */
export function respondTagged(c: Context<Env>, head: Head, { bytes, tag }: TaggedBody): Response {
  const ifMatch = c.req.header('If-Match')
  const ifNoneMatch = c.req.header('If-None-Match')
  const isExpected = ifMatch === undefined || isListed(ifMatch, tag)
  if (!isExpected && !revisionsIn(ifMatch)?.includes(head.revision ?? '')) {
    throw preconditionFailed(
      'If-Match',
      'If-Match does not name the current state of this resource or collection.',
    )
  }
  return ifNoneMatch !== undefined && isListed(ifNoneMatch, tag)
    ? respond(undefined, { ...head, status: 304 }, tag)
    : respond(bytes, head, tag)
}

/** Makes the response of a write. It has a tag if its caller may know the revision. Without a body, the tag has no digest. */
export async function respondWrite(answer: Answer): Promise<Response> {
  const { body, revision } = answer
  if (body === undefined || revision === undefined) {
    return respond(body, answer, revision && `${revision}.`)
  }
  const { bytes, tag } = await tagBody(body, revision)
  return respond(bytes, answer, tag)
}

/** Makes the response of an answer. Only a 2xx has the type's `Cache-Control`, and only if the operation declares none. */
function respond(body: BodyInit | undefined, head: Head, tag?: string): Response {
  const { status, mediaType, cacheControl, headers: declared } = head
  const isCaching = ([name]: readonly [string, string]) => name.toLowerCase() === 'cache-control'
  const response = responseOf(body, status, {
    ...(mediaType !== undefined && body !== undefined && { 'Content-Type': mediaType }),
    ...(status < 300 && !declared.some(isCaching) && { 'Cache-Control': cacheControl }),
    ...(tag !== undefined && { ETag: `"${tag}"` }),
  })
  for (const [name, value] of declared) {
    response.headers.append(name, value)
  }
  return response
}

/**
 * The tags that `If-Match` or `If-None-Match` lists, without quotes; `*` for all. `W/` is ignored, because a proxy that compresses an
 * answer makes its tag weak. Texts that are no tags are left out. A header that is too long lists no tag.
 */
function listedTags(header: string): '*' | readonly string[] {
  if (header.length > maxHeaderLength) {
    return []
  }
  return header.trim() === '*'
    ? '*'
    : header.split(',').flatMap((item) => /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(item)?.[1] ?? [])
}

function isListed(header: string, tag: string): boolean {
  const listed = listedTags(header)
  return listed === '*' || listed.includes(tag)
}

/** The revisions that `If-Match` or `If-None-Match` names; `*` for all, and undefined without the header. */
export function revisionsIn(header: string | undefined): '*' | readonly string[] | undefined {
  const listed = header === undefined ? undefined : listedTags(header)
  return listed === undefined || listed === '*'
    ? listed
    : [...new Set(listed.flatMap((tag) => /^([^.]+)\./.exec(tag)?.[1] ?? []))]
}

const internalError =
  'The service has failed to answer. The id of this error finds the cause in the log.'

/** Makes the response of anything thrown. No other place does. The answer does not hold the cause of a failure. */
export function errorResponse(c: Context<Env>, thrown: unknown): Response {
  const error = thrown instanceof ApiError ? thrown : ApiError.failure(internalError, thrown)
  const errors = errorObjects(error, c.get('requestId'))
  return responseOf(JSON.stringify({ jsonapi, errors }), error.status, error.headers)
}

/** The maximum size of the error objects of an answer, which keeps the answer below 64 KiB. */
const maxBytes = 63 * 1024

/** The error objects that fit into an answer, at least one. If there are more errors, the last one says how many were found. */
function errorObjects({ problems, omitted }: ApiError, requestId: string) {
  const reported: ReturnType<typeof errorObject>[] = []
  let bytes = 0
  for (const problem of problems.slice(0, maxErrors)) {
    const error = errorObject(problem, `${requestId}.${reported.length + 1}`)
    bytes += utf8.encode(JSON.stringify(error)).byteLength
    if (bytes > maxBytes && reported.length > 0) {
      break
    }
    reported.push(error)
  }
  const count = problems.length + omitted
  const last = reported.at(-1)
  if (last && count > reported.length) {
    last.detail += ` There are at least ${count} errors; these are the first ${reported.length}.`
  }
  return reported
}

/** The error object of a problem. Its id is that of the request, and the number of the error in the answer. */
function errorObject({ code, detail, source }: Problem, id: string) {
  const { status, title } = errorCodes[code]
  return { id, status: String(status), code, title, detail, ...(source && { source }) }
}
