import type { Context } from 'hono'
import { listedTags, names, revisionsOf, tagOf } from '../jsonapi/request/conditions.ts'
import type { Answer } from '../jsonapi/run/read.ts'
import { preconditionFailed } from '../jsonapi/run/refused.ts'
import type { AppEnv } from './context.ts'
import { answerHeaders, type Header, responseOf } from './headers.ts'

/**
 * The header with the bookmark of a state of the database. A request that sends it back reads from a replica that has that state
 * (contract, section 16).
 */
export const bookmarkHeader = 'X-D1-Bookmark'

/**
 * Makes the response of an operation's answer. `Cache-Control` is added to a 2xx that has none, and an `ETag` to every read and
 * to each write of a resource that still exists (contract, section 9).
 */
export async function respond(
  c: Context<AppEnv>,
  answer: Answer,
  isRead: boolean,
): Promise<Response> {
  const { status, body, cacheControl, revision } = answer
  const headers = answerHeaders(c)
  if (answer.mediaType !== undefined) {
    headers.push(['Content-Type', answer.mediaType])
  }
  if (!isRead || c.req.header(bookmarkHeader) !== undefined) {
    const known = c.get('session').bookmark()
    const bookmark = known instanceof Promise ? await known : known
    if (bookmark !== null) {
      headers.push([bookmarkHeader, bookmark])
    }
  }
  if (status < 300 && !answer.headers.some(([name]) => name.toLowerCase() === 'cache-control')) {
    headers.push(['Cache-Control', cacheControl])
  }
  const response =
    body === undefined
      ? answerEmpty(status, headers, revision)
      : isRead
        ? answerRead(c, await bodyOf(answer, body), status, headers, revision)
        : await answerWrite(body, status, headers, revision)
  for (const [name, value] of answer.headers) {
    response.headers.append(name, value)
  }
  return response
}

const utf8 = new TextEncoder()

/** The bytes of an answer, and its entity tag without quotes. */
export interface TaggedBody {
  readonly bytes: ReturnType<TextEncoder['encode']>
  readonly tag: string
}

/** The bytes of answers that stay in memory. */
const lasting = new WeakMap<Answer, TaggedBody>()

/** The bytes of the body of an answer, with their tag. */
function bodyOf(answer: Answer, body: string): Promise<TaggedBody> {
  return answer.lasting ? lastingBody(answer, body) : tagged(body, answer.revision)
}

/** The same of an answer that stays in memory, for which they are made once. */
async function lastingBody(answer: Answer, body: string): Promise<TaggedBody> {
  const known = lasting.get(answer)
  if (known) {
    return known
  }
  const made = await tagged(body, answer.revision)
  lasting.set(answer, made)
  return made
}

/** Gives a body its entity tag, which begins with the revision of the resource that it shows, if there is one. */
export async function tagged(body: string, revision?: string): Promise<TaggedBody> {
  const bytes = utf8.encode(body)
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return { bytes, tag: tagOf(revision, shortened(digest)) }
}

/**
 * Makes the response of a GET with a strong `ETag`, or a 304 where `If-None-Match` lists it (RFC 9110, section 13.1.2).
 *
 * @param revision the revision of the resource that the answer shows, if it shows one
 * @throws ApiError PRECONDITION_FAILED where `If-Match` does not list the tag; this is judged first (RFC 9110, section 13.2.2)
 */
export function answerRead(
  c: Context<AppEnv>,
  { bytes, tag }: TaggedBody,
  status: number,
  headers: readonly Header[],
  revision?: string,
): Response {
  const [ifMatch, ifNoneMatch] = [c.req.header('If-Match'), c.req.header('If-None-Match')]
  if (ifMatch !== undefined && !holds(ifMatch, tag, revision)) {
    throw preconditionFailed(
      'If-Match does not name the current state of this resource or collection.',
    )
  }
  const entityTag: Header = ['ETag', `"${tag}"`]
  if (ifNoneMatch !== undefined && names(listedTags(ifNoneMatch), tag)) {
    const others = headers.filter(([name]) => name !== 'Cache-Control')
    return responseOf(undefined, 304, [...others, entityTag])
  }
  return responseOf(bytes, status, [...headers, entityTag])
}

/** Makes a response without a body. It has a tag, without a digest, where it tells of a resource that exists. */
function answerEmpty(
  status: number,
  headers: readonly Header[],
  revision: string | undefined,
): Response {
  return responseOf(
    undefined,
    status,
    revision === undefined ? headers : [...headers, ['ETag', `"${tagOf(revision, '')}"`]],
  )
}

/** Makes the response of a write with a body. Without a revision it has no tag. */
async function answerWrite(
  body: string,
  status: number,
  headers: readonly Header[],
  revision: string | undefined,
): Promise<Response> {
  if (revision === undefined) {
    return responseOf(body, status, headers)
  }
  const { bytes, tag } = await tagged(body, revision)
  return responseOf(bytes, status, [...headers, ['ETag', `"${tag}"`]])
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
