import type { Env, Handler } from 'hono'
import { withDeadline } from '../lib/deadline.ts'
import { type RefreshingOptions, refreshing } from '../lib/refreshing.ts'
import { describe, log } from './log.ts'
import { responseOf } from './respond.ts'

/** The checks of the service's dependencies, by name. A check rejects when its dependency does not answer. */
export type HealthChecks = Readonly<Record<string, () => PromiseLike<unknown>>>

/**
 * Milliseconds that a dependency may take to answer, after which probes give a report up that has not come, because the request
 * that began it was cancelled, and for which a report is used again, so that probes cause no load.
 */
const times = { answer: 2_000, patience: 2_250, reuse: 1_000 }

type Result = 'ok' | 'failing'

interface Report {
  readonly at: number
  readonly healthy: boolean
  readonly body: string
}

/** The path of the report on the service's dependencies. */
export const healthPath = '/health'

/**
 * `GET /health`: 200, or 503 with the names of the dependencies that fail. It takes no token, costs nothing and is not cached. All
 * probes that come while a report is made wait for that one.
 *
 * @param waitUntil keeps the making of a report alive when the request that began it ends
 * @param readOnly are writes refused? The report tells it, and the service is healthy all the same
 */
export function health(
  checks: HealthChecks,
  waitUntil: RefreshingOptions['waitUntil'] = () => {},
  readOnly = false,
): Handler<Env> {
  // Each report is loaded once and never renewed: an old one must not serve while a dependency fails.
  const once = () =>
    refreshing(async () => reportOf(await examine(checks), readOnly), {
      fresh: Number.POSITIVE_INFINITY,
      patience: times.patience,
      waitUntil,
    })
  let report = once()
  /** The report; where each request that began one was cancelled, one in which nothing has answered. */
  const latest = async (): Promise<Report> => {
    try {
      return await report.get()
    } catch (error) {
      log({ level: 'error', event: 'unhealthy', dependency: undefined, cause: describe(error) })
      return reportOf(
        Object.keys(checks).map((name) => [name, 'failing']),
        readOnly,
      )
    }
  }
  return async () => {
    const last = report.present()
    if (last && Date.now() - last.at >= times.reuse) {
      report = once()
    }
    const { healthy, body } = await latest()
    return responseOf(body, healthy ? 200 : 503, [
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
    ])
  }
}

type Results = readonly (readonly [name: string, result: Result])[]

async function examine(checks: HealthChecks): Promise<Results> {
  return Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await outcome(name, check)] as const,
    ),
  )
}

function reportOf(results: Results, readOnly: boolean): Report {
  const healthy = results.every(([, result]) => result === 'ok')
  const body = {
    status: healthy ? 'ok' : 'failing',
    ...(readOnly && { readOnly }),
    checks: Object.fromEntries(results),
  }
  return { at: Date.now(), healthy, body: JSON.stringify(body) }
}

async function outcome(name: string, check: () => PromiseLike<unknown>): Promise<Result> {
  try {
    await withDeadline(check(), times.answer, () => {
      throw new Error('no answer in time')
    })
    return 'ok'
  } catch (error) {
    log({ level: 'error', event: 'unhealthy', dependency: name, cause: describe(error) })
    return 'failing'
  }
}
