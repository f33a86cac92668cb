/**
 * Every line that the log can have: its members by its event. No member may hold a token, a query value or personal data. A member
 * that is undefined is not in the line.
 */
interface LogLines {
  /** A request was answered. */
  request: {
    requestId: string
    method: string
    operation: string | undefined
    resource: string | undefined
    status: number
    ms: number
    limit: string | undefined
    roundTrips: number | undefined
    attempts: number | undefined
    caller: string | undefined
    version: string | undefined
    share: number | undefined
  }
  /** A request was answered with 500. */
  failure: {
    requestId: string
    errorId: string
    operation: string | undefined
    cause: string
    stack: string | undefined
  }
  /** A check of `/health` failed. */
  unhealthy: { dependency: string; cause: string }
  /** The scheduled run has removed keys. */
  'old keys removed': { removed: number; steps: number; left: boolean; bytes: number; ms: number }
  /** The scheduled run has done nothing. */
  'old keys kept': { cause: string }
  /** The scheduled run has failed. */
  'old keys not removed': { cause: string }
  /** An object of the limiter did not answer in time, or failed. */
  'limiter degraded': { cause: string }
  /** Reference data could not be renewed, and older ones serve. */
  'reference data stale': { cause: string }
  /** The keys of the issuer could not be fetched again. Old keys stay in use. */
  'keys stale': { cause: string }
}

/** Writes a line of JSON to the log, at a level that the platform counts. */
export function log<Event extends keyof LogLines>(
  line: { level: 'info' | 'warn' | 'error'; event: Event } & LogLines[Event],
): void {
  const text = JSON.stringify(line)
  if (line.level === 'error') {
    console.error(text)
  } else {
    console.log(text)
  }
}

/** The messages of an error and its causes, for the log only. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const cause = error.cause === undefined ? '' : ` < ${describe(error.cause)}`
  return `${error.name}: ${error.message}${cause}`
}

/** The stack frames of an error, for the log only. The message is left out. */
export function stackOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.length === 0 ? undefined : frames.map((line) => line.trim()).join('\n')
}
