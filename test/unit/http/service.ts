import { vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { bearerToken } from '../../../src/auth/bearer.ts'
import type { Principal } from '../../../src/jsonapi/declare/access.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { ApiError } from '../../../src/jsonapi/errors.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import type { Around } from '../db/d1/d1.ts'
import { openDomain } from '../db/second-domain/domain.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'
import { openLimiter } from '../rate-limit/open.ts'
import { appOptions } from './app-options.ts'

const all = ['articles.read', 'articles.write', 'people.write']

function caller(kind: 'user' | 'client', id: string, scopes: readonly string[]): Principal {
  return { kind, issuer: 'https://issuer.example', id, scopes: new Set(scopes) }
}

/** The callers, by the token that they send. */
const callers: Readonly<Record<string, Principal>> = {
  ann: caller('user', 'ann', all),
  bob: caller('user', 'bob', all),
  reader: caller('user', 'reader', ['articles.read']),
  admin: caller('user', 'admin', ['articles.admin']),
  client: caller('client', 'client', [...all, 'articles.admin']),
}

/** A request in short form; a body is sent as JSON:API. */
export interface Call {
  readonly as?: keyof typeof callers
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What an answer says. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into documents they know
  readonly document: any
}

/**
 * The second domain served by the real application, in Node: the token is simulated, and so is the limiter where none is given.
 */
export async function startService(
  around?: Around,
  {
    limiter = openLimiter,
    blockedCallers = appOptions.blockedCallers,
    registry = secondDomain,
  }: {
    readonly limiter?: RateLimiter
    readonly blockedCallers?: ReadonlySet<string>
    readonly registry?: Registry
  } = {},
) {
  vi.spyOn(console, 'log').mockReturnValue()
  const failures = vi.spyOn(console, 'error').mockReturnValue()
  const domain = await openDomain(around, registry)
  const app = createApp({
    ...appOptions,
    root: '/root',
    limiter,
    blockedCallers,
    registry,
    store: domain.store,
    verify: async (header) => {
      const principal = callers[bearerToken(header)]
      if (!principal) {
        throw ApiError.of('UNAUTHORIZED', 'Nobody known.')
      }
      return principal
    },
  })
  /** Sends a body that is a stream and is to hold ten bytes, as JSON:API. */
  const send = async (
    method: string,
    path: string,
    body: ReadableStream,
    type = 'application/vnd.api+json',
  ): Promise<Response> =>
    app.request(`http://service.example/root${path}`, {
      method,
      headers: {
        Authorization: 'Bearer ann',
        Accept: type,
        'Content-Type': type,
        'Content-Length': '10',
      },
      body,
      duplex: 'half',
    } as RequestInit)
  const call = async (method: string, path: string, options: Call = {}): Promise<Reply> => {
    const { as = 'ann', body, headers } = options
    const text = JSON.stringify(body)
    const response = await app.request(`http://service.example/root${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${as}`,
        ...(body === undefined
          ? {}
          : {
              'Content-Type': 'application/vnd.api+json',
              'Content-Length': String(Buffer.byteLength(text)),
            }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: text }),
    })
    const answer = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      document: answer === '' ? undefined : JSON.parse(answer),
    }
  }
  return {
    ...domain,
    app,
    /** What the service logged as an error. */
    failures,
    send,
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body: unknown, options?: Call) => call('POST', path, { ...options, body }),
    patch: (path: string, body: unknown, options?: Call) =>
      call('PATCH', path, { ...options, body }),
    remove: (path: string, body?: unknown, options?: Call) =>
      call('DELETE', path, { ...options, ...(body === undefined ? {} : { body }) }),
  }
}
