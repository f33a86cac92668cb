import { type Env, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { boundedPath } from './http/bounds.ts'
import type { CallerName } from './http/callers.ts'
import { cors } from './http/cors.ts'
import { errorResponse } from './http/errors.ts'
import { type HealthChecks, health, healthPath } from './http/health.ts'
import { addPages, type Pages } from './http/pages.ts'
import { addOtherMethods, addPage, notFound } from './http/paths.ts'
import { addRoutes, type Services } from './http/routes.ts'
import { named, type TraceOptions, trace } from './http/trace.ts'

/** What differs between deployments: the configuration, and everything with an effect outside the application. */
export interface AppOptions extends Services, TraceOptions {
  readonly callerName: CallerName
  readonly corsOrigins: ReadonlySet<string>
  readonly healthChecks?: HealthChecks
  /** Keeps work alive when the request that began it ends; does nothing if absent. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /** The pages about the service; there are none if absent. */
  readonly pages?: Pages
}

/** Makes the service. It traces each request, and answers it by its endpoint, or with an error where there is none. */
export function createApp(options: AppOptions): Hono<Env> {
  const app = routed()
  app.use(trace(options))
  if (options.corsOrigins.size > 0) {
    app.use(cors(options.corsOrigins))
  }
  const { healthChecks = {}, waitUntil, readOnly } = options
  addPage(app, 'health', healthPath, health(healthChecks, waitUntil, readOnly))
  if (options.pages) {
    addPages(app, options.registry, options.root, options.pages)
  }
  addRoutes(app, options)
  addOtherMethods(app, options.registry, options.root)
  app.notFound(notFound(options.registry, options.root))
  app.onError((error, c) => errorResponse(c, error))
  return app
}

/** Makes the service with a wrong configuration. It answers 500, and 503 for its health, and the log names the variable. */
export function createBrokenApp(cause: unknown, version?: string): Hono<Env> {
  const app = routed()
  app.use(trace({ version }))
  const checks = { configuration: () => Promise.reject(cause) }
  app.get(healthPath, named('health'), health(checks))
  app.all('*', () => {
    throw cause
  })
  app.onError((error, c) => errorResponse(c, error))
  return app
}

/** An application without routes. */
function routed(): Hono<Env> {
  return new Hono<Env>({ router: new TrieRouter(), getPath: boundedPath })
}
