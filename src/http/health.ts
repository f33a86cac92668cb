import type { Env, Handler } from 'hono'
import { withDeadline } from '../lib/deadline.ts'
import { describe, log } from './log.ts'
import { responseOf } from './respond.ts'

/** The checks of dependencies by name. A check rejects if its dependency does not answer. */
export type HealthChecks = Readonly<Record<string, () => PromiseLike<unknown>>>

/** The path of the report on dependencies. */
export const healthPath = '/health'

const deadlineMs = 2_000

/**
 * `GET /health`: 200, or 503 with the names of the dependencies that fail. Concurrent requests share one check.
 *
 * @param waitUntil keeps the check alive if the request that began it ends
 * @param readOnly are writes refused? The service is healthy all the same
 */
export function health(
  checks: HealthChecks = {},
  waitUntil: (promise: Promise<unknown>) => void = () => {},
  readOnly = false,
): Handler<Env> {
  let running: Promise<Awaited<ReturnType<typeof check>>[]> | undefined
  return async () => {
    running ??= Promise.all(Object.entries(checks).map(check)).finally(() => {
      running = undefined
    })
    waitUntil(running)
    const results = await running
    const status = results.every(([, result]) => result === 'ok') ? 'ok' : 'failing'
    const report = { status, ...(readOnly && { readOnly }), checks: Object.fromEntries(results) }
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
    return responseOf(JSON.stringify(report), status === 'ok' ? 200 : 503, headers)
  }
}

async function check([name, ask]: [string, HealthChecks[string]]) {
  try {
    await withDeadline(ask(), deadlineMs, () => Promise.reject(new Error('no answer in time')))
    return [name, 'ok'] as const
  } catch (error) {
    log({ level: 'error', event: 'unhealthy', dependency: name, cause: describe(error) })
    return [name, 'failing'] as const
  }
}
