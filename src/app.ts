import { type Env, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { transactionRoutes } from './http/atomic.ts'
import { boundedPath } from './http/bounds.ts'
import { cors } from './http/cors.ts'
import { type HealthChecks, health, healthPath } from './http/health.ts'
import { nameOperation, type TraceOptions, trace } from './http/log.ts'
import { addPages, type Pages } from './http/pages.ts'
import { addPage, addRoutes, notFound } from './http/paths.ts'
import { errorResponse } from './http/respond.ts'
import { endpointRoutes } from './http/routes.ts'
import type { Services } from './http/serve.ts'

/** What differs between deployments: the configuration, and everything with an effect outside the application. */
export interface AppOptions extends Services, TraceOptions {
  readonly corsOrigins: ReadonlySet<string>
  readonly healthChecks?: HealthChecks
  /** Keeps work alive when the request that began it ends. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /** There are no pages about the service if absent. */
  readonly pages?: Pages
}

/** Makes the service. */
export function createApp(options: AppOptions): Hono<Env> {
  const { registry, root, corsOrigins, capabilities, pages } = options
  const { healthChecks, waitUntil, readOnly } = options
  const app = tracedApp(options)
  if (corsOrigins.size > 0) {
    app.use(cors(corsOrigins, capabilities))
  }
  addPage(app, 'health', healthPath, health(healthChecks, waitUntil, readOnly))
  if (pages) {
    addPages(app, registry, root, pages)
  }
  const routes = [...endpointRoutes(options), ...transactionRoutes(options)]
  addRoutes(app, registry, root, routes)
  app.notFound(notFound(root, routes))
  return app
}

/** Makes the service with a wrong configuration. It answers 500, and 503 for its health, and the log names the variable. */
export function createBrokenApp(cause: unknown, version?: string): Hono<Env> {
  const app = tracedApp({ version })
  const checks = { configuration: () => Promise.reject(cause) }
  app.get(healthPath, nameOperation('health'), health(checks))
  app.all('*', () => {
    throw cause
  })
  return app
}

/** An application without routes, which traces each request and turns errors into answers. */
function tracedApp(options: TraceOptions): Hono<Env> {
  const app = new Hono<Env>({ router: new TrieRouter(), getPath: boundedPath })
  app.use(trace(options))
  app.onError((error, c) => errorResponse(c, error))
  return app
}
