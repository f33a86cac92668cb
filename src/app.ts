import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import type { AppEnv } from './http/context.ts'
import { cors } from './http/cors.ts'
import { errorResponse } from './http/errors.ts'
import { type HealthChecks, health } from './http/health.ts'
import { addPages, type Pages } from './http/pages.ts'
import { unrouted } from './http/paths.ts'
import { pathAndSearch } from './http/query.ts'
import { addRoutes, type Services } from './http/routes.ts'
import { type TraceOptions, trace } from './http/trace.ts'
import { addTransactions } from './http/transactions.ts'

/** What differs between a deployment and another: everything with an effect, and what is configured. */
export interface AppOptions extends Services, TraceOptions {
  readonly corsOrigins: ReadonlySet<string>
  readonly healthChecks?: HealthChecks
  /** Pages about the service; none if absent. */
  readonly pages?: Pages
}

/** The service. A request is traced, then answered by its endpoint, or told that there is none. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = routed()
  app.use(trace(options))
  if (options.corsOrigins.size > 0) {
    app.use(cors(options.corsOrigins))
  }
  app.get('/health', health(options.healthChecks ?? {}))
  if (options.pages) {
    addPages(app, options.registry, options.root, options.pages)
  }
  addRoutes(app, options)
  addTransactions(app, options)
  app.notFound(unrouted(options.registry, options.root))
  app.onError((error, c) => errorResponse(c, error))
  return app
}

/** What answers while the configuration is wrong: 500, 503 for its health, and log lines that name the variable. */
export function createBrokenApp(cause: unknown, version?: string): Hono<AppEnv> {
  const app = routed()
  app.use(trace({ version }))
  app.get('/health', health({ configuration: () => Promise.reject(cause) }))
  app.notFound((c) => errorResponse(c, cause))
  return app
}

/**
 * Characters of a path that may name a resource: more than the longest id takes in percent-encoding, in the longest path.
 * A longer one is decoded by nobody: Hono catches what each broken escape throws, at a price.
 */
const longestPath = 2_048

/** An application without routes. */
function routed(): Hono<AppEnv> {
  return new Hono<AppEnv>({
    getPath(request) {
      const [sent] = pathAndSearch(request.url)
      return sent.length > longestPath ? sent : getPath(request)
    },
  })
}
