import type { Context, Env } from 'hono'
import { mediaType } from '../jsonapi/document.ts'
import { preconditionFailed } from '../jsonapi/run/refusal.ts'
import type { Answer } from '../jsonapi/run/render.ts'
import { longestHeader } from './bounds.ts'

/** The headers of every JSON:API answer: its media type, the headers that it varies by, and rules for browsers. */
const baseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': mediaType,
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

const { 'Content-Type': _, ...bodiless } = baseHeaders

// The runtime copies Headers in half of the time in which it reads the same ones from a record.
const shared = { full: new Headers(baseHeaders), empty: new Headers(bodiless) }

/** The headers of pages about the service, which are the same for all callers and set their media type themselves. */
export const publicHeaders: Readonly<Record<string, string>> = {
  ...bodiless,
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300',
}

/** A header of one answer. */
export type Header = readonly [name: string, value: string]

/**
 * Makes a response with the headers of every answer and its own. A response without a body has no `Content-Type`.
 *
 * @param own take the place of headers with the same name
 * @param further are added beside headers with the same name
 */
export function responseOf(
  body: BodyInit | undefined,
  status: number,
  own: readonly Header[] = [],
  further: readonly Header[] = [],
): Response {
  const isEmpty = body === undefined
  const headers = isEmpty ? shared.empty : shared.full
  const response = new Response(isEmpty ? null : body, { status, headers })
  // Each look at the headers of a response is a call out of the isolate.
  const added = response.headers
  for (const [name, value] of own) {
    if (!isEmpty || name !== 'Content-Type') {
      added.set(name, value)
    }
  }
  for (const [name, value] of further) {
    added.append(name, value)
  }
  return response
}

/** The bytes of an answer, and its entity tag without quotes. */
export interface TaggedBody {
  readonly bytes: ReturnType<TextEncoder['encode']>
  readonly tag: string
}

const utf8 = new TextEncoder()

/** Gives a body its entity tag, which begins with the revision of the resource that it shows, if there is one. */
export async function tagged(body: string, revision?: string): Promise<TaggedBody> {
  const bytes = utf8.encode(body)
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return { bytes, tag: tagOf(revision, shortened(digest)) }
}

/** What a GET answers with where its conditions hold. */
export interface Representation extends TaggedBody {
  readonly status: number
  readonly headers: readonly Header[]
  /** The headers that its operation declares. */
  readonly declared?: readonly Header[]
  /** The revision of the resource that it shows, if it shows one. */
  readonly revision?: string | undefined
}

/** Makes the representation of the answer to a read. */
export async function representationOf(answer: Answer): Promise<Representation> {
  const { status, headers: declared, body = '', revision } = answer
  const made = await tagged(body, revision)
  return { status, headers: headersOf(answer), declared, revision, ...made }
}

/**
 * Makes the response of a GET with a strong `ETag`, or a 304 where `If-None-Match` lists it (RFC 9110, section 13.1.2).
 *
 * @throws ApiError PRECONDITION_FAILED where `If-Match` does not list the tag; this is judged first (RFC 9110, section 13.2.2)
 */
export function respondRead(
  c: Context<Env>,
  { status, headers, declared, bytes, tag, revision }: Representation,
): Response {
  const [ifMatch, ifNoneMatch] = [c.req.header('If-Match'), c.req.header('If-None-Match')]
  if (ifMatch !== undefined && !holds(ifMatch, tag, revision)) {
    throw preconditionFailed(
      'If-Match does not name the current state of this resource or collection.',
    )
  }
  const entityTag: Header = ['ETag', `"${tag}"`]
  if (ifNoneMatch !== undefined && names(listedTags(ifNoneMatch), tag)) {
    return answered(undefined, 304, [...headers, entityTag], declared)
  }
  return answered(bytes, status, [...headers, entityTag], declared)
}

/** Makes the response of a write. It has a tag where the answer tells a revision, and no digest in it where it has no body. */
export async function respondWrite(answer: Answer): Promise<Response> {
  const { status, body, headers: declared, revision } = answer
  const headers = headersOf(answer)
  if (revision === undefined) {
    return answered(body, status, headers, declared)
  }
  const { bytes, tag } =
    body === undefined
      ? { bytes: undefined, tag: tagOf(revision, '') }
      : await tagged(body, revision)
  return answered(bytes, status, [...headers, ['ETag', `"${tag}"`]], declared)
}

/**
 * Tells in the answer to a HEAD how long the body of a GET would be (RFC 9110, section 9.3.2). Hono leaves the body out later. A
 * client of HTTP/1.1 can take an answer without a length to end with the connection, and makes a new one for each request.
 */
export async function tellLength(res: Response): Promise<void> {
  if (res.body !== null && !res.headers.has('Content-Length')) {
    const { byteLength } = await res.arrayBuffer()
    res.headers.set('Content-Length', String(byteLength))
  }
}

/** The headers of an answer beside those that its operation declares. */
function headersOf({ mediaType, cacheControl }: Answer): Header[] {
  const caching: Header = ['Cache-Control', cacheControl]
  return mediaType === undefined ? [caching] : [['Content-Type', mediaType], caching]
}

/**
 * Makes the response of an answer. Only a 2xx has its `Cache-Control`, and only where the operation declares no other (contract,
 * section 9).
 */
function answered(
  body: BodyInit | undefined,
  status: number,
  own: readonly Header[],
  declared: readonly Header[] = [],
): Response {
  const isCaching = ([name]: Header): boolean => name.toLowerCase() === 'cache-control'
  const kept =
    status >= 300 || declared.some(isCaching) ? own.filter((one) => !isCaching(one)) : own
  return responseOf(body, status, kept, declared)
}

/** Does `If-Match` list the tag, or that of another view of the same revision? */
function holds(header: string, tag: string, revision: string | undefined): boolean {
  const listed = listedTags(header)
  return (
    names(listed, tag) ||
    (revision !== undefined && listed !== '*' && revisionsOf(listed).includes(revision))
  )
}

/** The part of a digest that a strong tag holds, as base64: other bytes have another one. */
function shortened(digest: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(digest, 0, 16))).slice(0, 22)
}

// Entity tags and conditions (RFC 9110, sections 8.8.3 and 13.1; contract, section 9).

/** The tags that a condition lists, without their quotes; `*` stands for any tag. */
export type ListedTags = '*' | readonly string[]

/**
 * Reads `If-Match` or `If-None-Match`. A weak tag (`W/`) is taken like a strong one, because a proxy that compresses an answer
 * makes its tag weak. Texts that are no tags are left out, and a header that is too long lists no tag.
 */
export function listedTags(header: string): ListedTags {
  if (header.length > longestHeader) {
    return []
  }
  return header.trim() === '*'
    ? '*'
    : header.split(',').flatMap((item) => /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(item)?.[1] ?? [])
}

/** The revisions that an `If-Match` names, one of which a write expects; undefined where any will do: without the header, and for `*`. */
export function expectedRevisions(header = '*'): readonly string[] | undefined {
  const listed = listedTags(header)
  return listed === '*' ? undefined : revisionsOf(listed)
}

/** Does the condition list the tag? */
export function names(listed: ListedTags, tag: string): boolean {
  return listed === '*' || listed.includes(tag)
}

/**
 * The tag of an answer without its quotes: the revision of the resource that the answer shows, if it shows one, and a digest
 * of its bytes. The digest is empty in the tag of a write that answers without a body.
 */
export function tagOf(revision: string | undefined, digest: string): string {
  return revision === undefined ? digest : `${revision}.${digest}`
}

/** The revisions in listed tags. The tag of any view of a resource holds the revision that the view shows. */
export function revisionsOf(tags: readonly string[]): string[] {
  const revisions = tags.flatMap((tag) => /^([^.]+)\./.exec(tag)?.[1] ?? [])
  return [...new Set(revisions)]
}
