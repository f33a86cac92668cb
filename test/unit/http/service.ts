import { vi } from 'vitest'
import { type AppOptions, createApp } from '../../../src/app.ts'
import type { Principal } from '../../../src/jsonapi/declare/resource.ts'
import { ApiError } from '../../../src/jsonapi/problems.ts'
import type { Around } from '../db/d1.ts'
import { openDomain } from '../db/second-domain/domain.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'
import { appOptions } from './app-options.ts'

const all = ['articles.read', 'articles.write', 'people.write']

const jsonApi = { 'Content-Type': 'application/vnd.api+json' }

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
  { registry = secondDomain, ...options }: Partial<AppOptions> = {},
) {
  vi.spyOn(console, 'log').mockReturnValue()
  const failures = vi.spyOn(console, 'error').mockReturnValue()
  const domain = openDomain(around, registry)
  const services: AppOptions = {
    ...appOptions,
    root: '/root',
    registry,
    store: domain.store,
    verify: async (header) => {
      const principal = callers[String(header).slice('Bearer '.length)]
      if (!principal) {
        throw ApiError.of('UNAUTHORIZED', 'Nobody known.')
      }
      return { principal, bucket: 'bucket', name: 'name' }
    },
    ...options,
  }
  const app = createApp(services)
  const request = (method: string, path: string, headers: HeadersInit, body?: BodyInit) =>
    app.request(`http://service.example/root${path}`, {
      method,
      headers,
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit)
  /** Sends a body that is a stream and should hold ten bytes. */
  const send = async (method: string, path: string, body: ReadableStream) => {
    const Authorization = 'Bearer ann'
    return request(method, path, { Authorization, ...jsonApi, 'Content-Length': '10' }, body)
  }
  const call = async (
    method: string,
    path: string,
    { as = 'ann', body, headers }: Call = {},
  ): Promise<Reply> => {
    const text = JSON.stringify(body)
    const own = text && { ...jsonApi, 'Content-Length': String(Buffer.byteLength(text)) }
    const sent = { Authorization: `Bearer ${as}`, ...own, ...headers }
    const response = await request(method, path, sent, text)
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
    services,
    /** What the service logged as an error. */
    failures,
    send,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body: unknown, options?: Call) => call('POST', path, { ...options, body }),
    patch: (path: string, body: unknown, options?: Call) =>
      call('PATCH', path, { ...options, body }),
    remove: (path: string) => call('DELETE', path),
  }
}
