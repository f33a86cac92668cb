import type { Context, Env } from 'hono'
import { mediaType } from '../jsonapi/json.ts'
import type { Answer } from '../jsonapi/run/render.ts'
import { preconditionFailed } from '../jsonapi/run/write-operation.ts'
import { maxHeaderLength } from './bounds.ts'

/** The headers of every answer without a body: what it varies by, and rules for browsers. */
const baseHeaders = {
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

// The runtime copies Headers in half of the time in which it reads a record.
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

/** Makes a response with the headers of every answer and its own, which replace those of the same name. */
export function responseOf(
  body: BodyInit | undefined,
  status: number,
  own: Readonly<Record<string, string>> = {},
): Response {
  const headers = body === undefined ? emptyHeaders : jsonApiHeaders
  const response = new Response(body ?? null, { status, headers })
  // Each look at the headers of a response is a call out of the isolate.
  const added = response.headers
  for (const name of Object.keys(own)) {
    added.set(name, own[name] ?? '')
  }
  return response
}

/** The bytes of an answer, and its entity tag without quotes. */
export interface TaggedBody {
  readonly bytes: ReturnType<TextEncoder['encode']>
  readonly tag: string
}

const utf8 = new TextEncoder()

/** Makes the entity tag of a body: its digest, behind the revision of the resource that it shows. */
export async function tagged(body: string, revision?: string): Promise<TaggedBody> {
  const bytes = utf8.encode(body)
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  const shortened = btoa(String.fromCharCode(...new Uint8Array(digest, 0, 16))).slice(0, 22)
  return { bytes, tag: tagOf(revision, shortened) }
}

/** An entity tag without its quotes. The digest is empty if the answer has no body. */
function tagOf(revision: string | undefined, digest: string): string {
  return revision === undefined ? digest : `${revision}.${digest}`
}

/** What a response says beside its body. */
type Head = Omit<Answer, 'body' | 'createdId'>

/** Makes the response of a read. @throws ApiError 412 */
export async function respondRead(c: Context<Env>, answer: Answer): Promise<Response> {
  return respondTagged(c, answer, await tagged(answer.body ?? '', answer.revision))
}

/**
 * Makes the response of a GET, or a 304 if `If-None-Match` lists its tag.
 *
 * @throws ApiError 412 if `If-Match` lists neither the tag nor another one of its revision
 */
export function respondTagged(c: Context<Env>, head: Head, { bytes, tag }: TaggedBody): Response {
  const ifMatch = c.req.header('If-Match')
  const ifNoneMatch = c.req.header('If-None-Match')
  if (ifMatch !== undefined && !isListed(ifMatch, tag) && !namesRevision(ifMatch, head.revision)) {
    throw preconditionFailed(
      'If-Match',
      'If-Match does not name the current state of this resource or collection.',
    )
  }
  return ifNoneMatch !== undefined && isListed(ifNoneMatch, tag)
    ? respond(undefined, { ...head, status: 304 }, tag)
    : respond(bytes, head, tag)
}

/** Makes the response of a write. It has a tag if its caller may know the revision. */
export async function respondWrite(answer: Answer): Promise<Response> {
  const { body, revision } = answer
  if (revision === undefined || body === undefined) {
    return respond(body, answer, revision && tagOf(revision, ''))
  }
  const { bytes, tag } = await tagged(body, revision)
  return respond(bytes, answer, tag)
}

/**
 * Makes the response of an answer. A 2xx has the type's `Cache-Control`, or the one that the operation declares. No other answer has
 * the type's.
 */
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

/** The tags that a condition lists, without quotes. `*` stands for any tag. */
type ListedTags = '*' | readonly string[]

/**
 * Parses `If-Match` or `If-None-Match`. `W/` is ignored, because a proxy that compresses an answer makes its tag weak. Texts that
 * are no tags are left out. A header that is too long lists no tag.
 */
function listedTags(header: string): ListedTags {
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

function namesRevision(header: string, revision: string | undefined): boolean {
  return revision !== undefined && expectedRevisions(header)?.includes(revision) === true
}

/** The revisions that `If-Match` names. Undefined if any will do. */
export function expectedRevisions(header = '*'): readonly string[] | undefined {
  const listed = listedTags(header)
  return listed === '*'
    ? undefined
    : [...new Set(listed.flatMap((tag) => /^([^.]+)\./.exec(tag)?.[1] ?? []))]
}

/** The revisions that `If-None-Match` names, or `*` for all. Undefined without the header. */
export function excludedRevisions(header: string | undefined): readonly string[] | '*' | undefined {
  return header === undefined ? undefined : (expectedRevisions(header) ?? '*')
}
