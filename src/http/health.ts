import type { Env, Handler } from 'hono'
import { withDeadline } from '../lib/deadline.ts'
import { describe, log } from './log.ts'
import { responseOf } from './respond.ts'

/** The checks of the service's dependencies, by name. A check rejects when its dependency does not answer. */
export type HealthChecks = Readonly<Record<string, () => PromiseLike<unknown>>>

/** The path of the report on the service's dependencies. */
export const healthPath = '/health'

/** Milliseconds that a dependency may take to answer. */
const deadlineMs = 2_000

/**
 * `GET /health`: 200, or 503 with the names of the dependencies that fail. Requests at one time share one question.
 *
 * @param waitUntil keeps the question alive when the request that began it ends
 * @param readOnly are writes refused? The service is healthy all the same
 */
export function health(
  checks: HealthChecks,
  waitUntil: (promise: Promise<unknown>) => void = () => {},
  readOnly = false,
): Handler<Env> {
  let asking: Promise<Result[]> | undefined
  return async () => {
    if (!asking) {
      asking = Promise.all(Object.entries(checks).map(resultOf))
      const forget = (): void => {
        asking = undefined
      }
      waitUntil(asking.then(forget))
    }
    const results = await asking
    const status = results.every(([, result]) => result === 'ok') ? 'ok' : 'failing'
    const report = { status, ...(readOnly && { readOnly }), checks: Object.fromEntries(results) }
    return responseOf(JSON.stringify(report), status === 'ok' ? 200 : 503, [
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
    ])
  }
}

type Result = [name: string, result: 'ok' | 'failing']

async function resultOf([name, check]: [string, HealthChecks[string]]): Promise<Result> {
  try {
    await withDeadline(check(), deadlineMs, () => {
      throw new Error('no answer in time')
    })
    return [name, 'ok']
  } catch (error) {
    log({ level: 'error', event: 'unhealthy', dependency: name, cause: describe(error) })
    return [name, 'failing']
  }
}
