import { vi } from 'vitest'
import { type AppOptions, createApp } from '../../../src/app.ts'
import { ApiError } from '../../../src/jsonapi/problems.ts'
import type { Around } from '../db/d1.ts'
import { openDomain } from '../db/second-domain/domain.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'
import { appOptions, type Call, personsWith, sendTo } from './app-options.ts'

const all = ['articles.read', 'articles.write', 'people.write']

/** The scopes of the callers. Everybody else is nobody. */
const callers: Readonly<Record<string, readonly string[]>> = {
  ann: all,
  bob: all,
  reader: ['articles.read'],
  admin: ['articles.admin'],
  client: [...all, 'articles.admin'],
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
      const scopes = callers[String(header).slice('Bearer '.length)]
      if (!scopes) {
        throw ApiError.of('UNAUTHORIZED', 'Nobody known.')
      }
      return personsWith(scopes)(header)
    },
    ...options,
  }
  const app = createApp(services)
  const call = (method: string, path: string, options?: Call) =>
    sendTo(app, method, `/root${path}`, options)
  return {
    ...domain,
    app,
    services,
    /** What the service logged as an error. */
    failures,
    /** Sends a create whose body is a stream and should hold ten bytes. */
    postStream: async (path: string, body: ReadableStream) =>
      app.request(`/root${path}`, {
        method: 'POST',
        headers: {
          Authorization: 'Bearer ann',
          'Content-Type': 'application/vnd.api+json',
          'Content-Length': '10',
        },
        body,
        duplex: 'half',
      } as RequestInit),
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body: unknown, options?: Call) => call('POST', path, { ...options, body }),
    patch: (path: string, body: unknown, options?: Call) =>
      call('PATCH', path, { ...options, body }),
    remove: (path: string) => call('DELETE', path),
  }
}
