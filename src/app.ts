import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import type { AppEnv } from './http/context.ts'
import { cors } from './http/cors.ts'
import { errorResponse } from './http/errors.ts'
import { type HealthChecks, health, healthPath } from './http/health.ts'
import { addPages, type Pages } from './http/pages.ts'
import { unrouted } from './http/paths.ts'
import { targetOfUrl } from './http/query.ts'
import { addRoutes, type Services } from './http/routes.ts'
import { type TraceOptions, trace } from './http/trace.ts'
import { addTransactions } from './http/transactions.ts'

/** What differs between deployments: the configuration, and everything with an effect outside the application. */
export interface AppOptions extends Services, TraceOptions {
  readonly corsOrigins: ReadonlySet<string>
  readonly healthChecks?: HealthChecks
  /** Keeps work alive when the request that began it ends; does nothing if absent. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /** The pages about the service; there are none if absent. */
  readonly pages?: Pages
}

/** Makes the service. It traces each request, and answers it by its endpoint, or with an error where there is none. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = routed()
  app.use(trace(options))
  if (options.corsOrigins.size > 0) {
    app.use(cors(options.corsOrigins))
  }
  app.get(healthPath, health(options.healthChecks ?? {}, options.waitUntil))
  const pageName = options.pages
    ? addPages(app, options.registry, options.root, options.pages)
    : () => undefined
  addRoutes(app, options)
  addTransactions(app, options)
  app.notFound(unrouted(options.registry, options.root, pageName))
  app.onError((error, c) => errorResponse(c, error))
  return app
}

/** Makes the service with a wrong configuration. It answers 500, and 503 for its health, and the log names the variable. */
export function createBrokenApp(cause: unknown, version?: string): Hono<AppEnv> {
  const app = routed()
  app.use(trace({ version }))
  app.get(healthPath, health({ configuration: () => Promise.reject(cause) }))
  app.notFound((c) => errorResponse(c, cause))
  return app
}

/**
 * The longest path that may name a resource, in characters. The longest id with percent-encoding is shorter. A longer path is not
 * decoded, because Hono catches an exception for each broken escape, which is slow.
 */
const longestPath = 2_048

/** An application without routes. */
function routed(): Hono<AppEnv> {
  return new Hono<AppEnv>({
    getPath(request) {
      const [sent] = targetOfUrl(request.url)
      // Hono reads the URL again, which takes a while where the query string is long.
      return sent.length <= longestPath && /[%#]/.test(sent) ? getPath(request) : sent
    },
  })
}
