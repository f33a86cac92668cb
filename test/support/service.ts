import { request as send } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { inject } from 'vitest'
import { createNames } from '../../src/auth/names.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { checkRequest, checkResponse } from '../http/description/response-check.ts'
import type { SqlStatement } from './back-door.ts'
import { cardKeys } from './card-keys.ts'
import type { Command } from './control.ts'
import { documentOf } from './documents.ts'
import type { Vars } from './server.ts'
import { issuer } from './signing-key.ts'

export {
  clientToken,
  person,
  reader,
  tokenFor,
  uniquePerson,
  uniqueSubject,
} from './tokens.ts'

/** The media type of requests and answers. */
export const mediaType = 'application/vnd.api+json'

/** What a request brings beside its method and path. */
export interface RequestOptions {
  /** The bearer token. */
  readonly token?: string | undefined
  /** Take the place of the usual ones; an empty list leaves the header out. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** A string or bytes as they are, anything else as JSON; its media type is JSON:API's unless `headers` say other. */
  readonly body?: unknown
  /** The Worker to ask, when it is another than the usual one: see {@link variant}. */
  readonly origin?: string
}

/** An answer. It has been validated against the schema of JSON:API 1.1 and against the interface description. */
export type Answer = Awaited<ReturnType<typeof request>>

/**
 * Sends one request as it is written: the path is not normalised. Of itself it accepts JSON:API and comes from an
 * address of its own, so that refused tokens of one test are not charged to another.
 */
export async function request(
  method: string,
  path: string,
  { token, headers = {}, body, origin = serviceUrl }: RequestOptions = {},
) {
  const { hostname, port } = new URL(origin)
  const bytes =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array
      ? body
      : JSON.stringify(body)
  const all = {
    accept: mediaType,
    'cf-connecting-ip': uniqueAddress(),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(bytes !== undefined && {
      'content-type': mediaType,
      'content-length': String(Buffer.byteLength(bytes)),
    }),
    ...headers,
  }
  const exchange = () =>
    new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const sent = send({ hostname, port, method, path, headers: sendable(all) }, resolve)
      sent.on('error', reject)
      sent.end(bytes)
    })
  const size = bytes === undefined ? 0 : Buffer.byteLength(bytes)
  const first = await exchange()
  // Wrangler's local proxy now and then loses a request that is answered before its long body has come, with a 500 of its own.
  const hasBeenLost =
    size > 4_096 && first.statusCode === 500 && first.headers['x-request-id'] === undefined
  if (hasBeenLost) {
    first.resume()
  }
  const response = hasBeenLost ? await exchange() : first
  const text = await textOf(response)
  const isJsonApi = response.headers['content-type']?.startsWith(mediaType) && text !== ''
  const document = isJsonApi ? documentOf(text) : undefined
  const status = response.statusCode ?? 0
  checkResponse(method, path, status, response.headers, document)
  if (status < 300 && bytes !== undefined) {
    checkRequest(method, path, bytes)
  }
  return {
    status,
    /** Names in lower case. */
    headers: response.headers,
    text,
    /** The JSON:API document. Throws where the answer is none. */
    get document() {
      if (!document) {
        throw new Error(`${method} ${path}: ${response.statusCode} without a document`)
      }
      return document
    },
    /** Status, code and place of each error: `400 VALUE_INVALID_FORMAT parameter sort`. The contract promises no order. */
    get faults() {
      return (document?.errors ?? [])
        .map(({ status, code, source = {} }) =>
          [status, code, ...Object.entries(source).flat()].join(' '),
        )
        .sort()
    },
  }
}

/** `request('GET', '/jsonapi' + path, …)`. */
export function get(path: string, token?: string, options: RequestOptions = {}): Promise<Answer> {
  return request('GET', `/jsonapi${path}`, { token, ...options })
}

/** An IPv6 address in a network that no other test uses. */
export function uniqueAddress(): string {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint16Array(2))
  return `2001:db8:${a.toString(16)}:${b.toString(16)}::1`
}

function sendable(headers: Readonly<Record<string, string | readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value.length > 0)
      .map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
}

/** Access for tests to what lies behind a Worker: its database and its log. */
export type BackDoor = Awaited<ReturnType<typeof variant>>

/**
 * Another Worker of the same build with other variables, its own database and its own objects. Started when first
 * asked for; the same variables give the same Worker.
 */
export async function variant(vars: Vars) {
  return { origin: await command<string>('urlOf', vars), ...backDoorOf(vars) }
}

/** The subject of a person whom {@link slowService} refuses. */
export const blockedSubject = 'somebody-blocked'

/**
 * The Worker with small buckets, which stay empty long enough to be seen empty: 10 tokens, one more a second. It refuses one person,
 * and a relationship has at most one member.
 */
export async function slowService() {
  const names = createNames(parseKeyRing(cardKeys))
  const blocked = await names.ofCaller({ kind: 'user', issuer, id: blockedSubject })
  return variant({
    RATE_LIMIT_BURST_CAPACITY: '10',
    RATE_LIMIT_REPLENISH_RATE: '1',
    // On a busy machine an object can take longer than the usual deadline.
    RATE_LIMIT_DEADLINE_MS: '20000',
    QUOTA_MEMBERS: '1',
    BLOCKED_CALLERS: blocked.name,
  })
}

/** The origin of a page that {@link configuredService} lets read its answers. */
export const page = 'https://app.example'

/**
 * The Worker whose buckets are never empty, for tests that send many requests. Pages of two origins read its answers, its database
 * is replicated, and it has small quotas.
 */
export function configuredService() {
  return variant({
    RATE_LIMIT_BURST_CAPACITY: '10000000',
    RATE_LIMIT_REPLENISH_RATE: '10000000',
    CORS_ORIGINS: `${page},https://other.example`,
    D1_REPLICATION: 'true',
    QUOTA_OWNED: '200',
    QUOTA_MEMBERS: '6',
  })
}

function backDoorOf(vars: Vars) {
  /** Runs statements on D1 as one batch, which is one transaction; the rows of each. */
  const batch = (statements: readonly SqlStatement[]) =>
    command<Record<string, unknown>[][]>('batch', vars, statements)
  return {
    batch,
    /** Runs one statement on D1; its rows. */
    query: async (...statement: SqlStatement) => (await batch([statement]))[0] ?? [],
    /** The lines that the Worker has logged in this run, oldest first: all of them, or those that hold a text. */
    logs: (holding = '') => command<readonly string[]>('logsOf', vars, holding),
    /** Does what the Worker does on its schedule; `ok`, if nothing went wrong. */
    runSchedule: () => command<string>('runSchedule', vars),
  }
}

/** The database of the service under test. */
export const database = backDoorOf({})

/** What the service under test has logged in this run. */
export const { logs } = database

/** Where the service under test answers. */
export const serviceUrl = await command<string>('urlOf', {})

/** The folder of the built Worker: `worker.js`, as it is deployed. */
export function buildFolder(): Promise<string> {
  return command('build')
}

async function command<Result>(...sent: Command): Promise<Result> {
  const body = JSON.stringify(sent)
  const response = await fetch(inject('controlUrl'), { method: 'POST', body })
  if (!response.ok) {
    throw new Error(await response.text())
  }
  return (await response.json()) as Result
}
