import type { Context, Env, Handler, MiddlewareHandler } from 'hono'
import { transact } from '../jsonapi/atomic/transact.ts'
import type { Operation, ReadOperation, WriteOperation } from '../jsonapi/declare/operation.ts'
import type { Endpoint } from '../jsonapi/declare/registry.ts'
import type { IdempotencyKey } from '../jsonapi/idempotency.ts'
import { maxOffset } from '../jsonapi/run/pagination.ts'
import type { Request, Service } from '../jsonapi/run/plan.ts'
import { read } from '../jsonapi/run/read.ts'
import type { Session, SessionStore, Store, Usage } from '../jsonapi/run/store.ts'
import { write } from '../jsonapi/run/write.ts'
import { toBase64Url } from '../lib/base64url.ts'
import type { Signer } from '../lib/key-ring.ts'
import { callerText } from '../rate-limit/name.ts'
import { expectedRevisions, representationOf, respondRead, respondWrite } from './respond.ts'
import { tooManyRequests } from './throttle.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The session of the request with the store. */
    session: Session
    /** What the request has cost the database so far; not set until it may ask it. */
    usage: Readonly<Usage>
    /** The id of the resource that the request is about, where it can be one. */
    resourceId: string | undefined
  }
}

/**
 * The header with the bookmark of a state of the database. A request that sends it back reads from a replica that has that state
 * (contract, section 16).
 */
export const bookmarkHeader = 'X-D1-Bookmark'

/** The form of D1's bookmarks. A text of another form could break a header of D1's own request. */
const bookmarkFormat = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/**
 * Opens the session of a request with the store, and sets `session` and `usage`. An answer to a write, or to a request with a
 * bookmark, has the bookmark of the state that it has seen.
 */
export function openSession(store: SessionStore, writes: boolean): MiddlewareHandler<Env> {
  return async function openSession(c, next) {
    const sent = c.req.header(bookmarkHeader)
    const bookmark = sent !== undefined && bookmarkFormat.test(sent) ? sent : undefined
    const session = store.begin({ bookmark, writes })
    c.set('session', session)
    c.set('usage', session.usage)
    await next()
    session.close()
    const seen = session.bookmark()
    if (!c.error && seen !== null && (writes || sent !== undefined)) {
      c.res.headers.set(bookmarkHeader, seen)
    }
  }
}

/** What operations run on beside the session of a request. */
export type Operating = Omit<Service, 'store' | 'offsetLimit'>

/** What the operation of a request runs on. */
function serviceFor(c: Context<Env>, operating: Operating): Service {
  const { offsetLimit = maxOffset } = c.get('price')
  return { ...operating, offsetLimit, store: admittedStore(c) }
}

/**
 * The store of a request, whose first read may run while the limiter is asked. Each later read, which is one more level of
 * `include`, first waits for the verdict, so that a refusal ends the request before it.
 */
function admittedStore(c: Context<Env>): Store {
  const session = c.get('session')
  const readAdmitted: Store['read'] = async (reads) => {
    const verdict = await c.get('admission')
    if (!verdict.allowed) {
      throw tooManyRequests(verdict)
    }
    return session.read(reads)
  }
  let isFirst = true
  return {
    read(reads) {
      const read = isFirst ? session.read : readAdmitted
      isFirst = false
      return read(reads)
    },
    write: session.write,
  }
}

/** Answers valid requests to an endpoint that reads, and sets `resourceId`. */
export function answerRead(
  operating: Operating,
  endpoint: Endpoint & { readonly operation: ReadOperation },
): Handler<Env> {
  return async function answerRead(c) {
    const request = requestOf(c, endpoint)
    const { query } = c.get('valid')
    const answer = await read(serviceFor(c, operating), request, query)
    return respondRead(c, await representationOf(answer))
  }
}

/** Answers valid requests to an endpoint that writes, and sets `resourceId`. */
export function answerWrite(
  operating: Operating,
  fingerprints: Signer,
  endpoint: Endpoint & { readonly operation: WriteOperation },
): Handler<Env> {
  return async function answerWrite(c) {
    const request = requestOf(c, endpoint)
    const { query, payload, key } = c.get('valid')
    const answer = await write(serviceFor(c, operating), request, query, {
      payload,
      expected: expectedRevisions(c.req.header('If-Match')),
      key: await storedKey(c, fingerprints, key),
    })
    c.set('resourceId', answer.createdId ?? request.id)
    return respondWrite(answer)
  }
}

/** Answers valid transactions (contract, section 13). */
export function answerTransaction(operating: Operating, fingerprints: Signer): Handler<Env> {
  return async function answerTransaction(c) {
    const { operations, key } = c.get('transaction')
    const once = await storedKey(c, fingerprints, key)
    return respondWrite(
      await transact(serviceFor(c, operating), operations, c.get('principal'), once),
    )
  }
}

/** The valid request to an endpoint. It sets `resourceId`, because its id can be one. */
function requestOf<Name extends Operation>(
  c: Context<Env>,
  endpoint: Endpoint & { readonly operation: Name },
): Request<Name> {
  const { id } = c.get('valid')
  c.set('resourceId', id)
  return { ...endpoint, id, principal: c.get('principal'), ...c.get('target') }
}

const utf8 = new TextEncoder()

/**
 * The key of a valid request as it is stored (contract, section 12); undefined where the request has none.
 *
 * The name is a plain hash. It stays the same when the key ring gets another current key, so that a repeated request is still
 * found. The fingerprint is a keyed hash, because a body can hold a card number, and all card numbers could be tried against a
 * plain hash. It is made from the parsed body, so that white space does not count.
 */
async function storedKey(
  c: Context<Env>,
  fingerprints: Signer,
  key: string | undefined,
): Promise<IdempotencyKey | undefined> {
  const body = c.get('body')
  if (key === undefined || !body.ok) {
    return undefined
  }
  const { path, search } = c.get('target')
  const request = JSON.stringify([path, search, body.value])
  const name = utf8.encode(JSON.stringify([callerText(c.get('principal')), key]))
  return {
    name: toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', name))),
    fingerprint: await fingerprints.sign(request),
    isSame: (fingerprint) => fingerprints.verify(request, fingerprint),
  }
}
