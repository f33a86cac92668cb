import type { MiddlewareHandler } from 'hono'
import { withDeadline } from '../lib/deadline.ts'
import type { AppEnv } from './context.ts'
import { answerHeaders, responseOf } from './headers.ts'
import { describe, log } from './log.ts'

/** The checks of the service's dependencies, by name. A check rejects when its dependency does not answer. */
export type HealthChecks = Readonly<Record<string, () => PromiseLike<unknown>>>

/** Milliseconds that a dependency may take to answer, and for which a report is used again, so that probes cause no load. */
const times = { patience: 2_000, reuse: 1_000 }

interface Report {
  readonly at: number
  readonly healthy: boolean
  readonly body: string
}

/** `GET /health`: 200, or 503 with the names of the dependencies that fail. It takes no token, costs nothing and is not cached. */
export function health(checks: HealthChecks): MiddlewareHandler<AppEnv> {
  let last: Report | undefined
  return async (c) => {
    c.set('operation', 'health')
    const now = Date.now()
    let report = last
    if (!report || now - report.at >= times.reuse) {
      // Requests that come meanwhile get the last report, so that a slow dependency is asked only once.
      last = report && { ...report, at: now }
      report = await examine(checks)
      last = report
    }
    return responseOf(report.body, report.healthy ? 200 : 503, [
      ...answerHeaders(c),
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
    ])
  }
}

async function examine(checks: HealthChecks): Promise<Report> {
  const results = await Promise.all(
    Object.entries(checks).map(
      async ([name, check]) => [name, await outcome(name, check)] as const,
    ),
  )
  const healthy = results.every(([, result]) => result === 'ok')
  const body = { status: healthy ? 'ok' : 'failing', checks: Object.fromEntries(results) }
  return { at: Date.now(), healthy, body: JSON.stringify(body) }
}

async function outcome(name: string, check: () => PromiseLike<unknown>): Promise<'ok' | 'failing'> {
  try {
    await withDeadline(check(), times.patience, () => {
      throw new Error('no answer in time')
    })
    return 'ok'
  } catch (error) {
    log({ level: 'error', event: 'unhealthy', dependency: name, cause: describe(error) })
    return 'failing'
  }
}
