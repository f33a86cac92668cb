/**
 * Every line that the log can have: its members by its event, and what each of them holds (contract, section 19). The log is
 * written by these types. No member may hold a token, a query value or personal data.
 */
const logLines = {
  /** A request was answered. */
  request: {
    requestId: 'string',
    method: 'string',
    operation: 'string',
    resource: 'string',
    status: 'number',
    ms: 'number',
    limit: 'string',
    roundTrips: 'number',
    attempts: 'number',
    caller: 'string',
    version: 'string',
    share: 'number',
  },
  /** A request was answered with 500. */
  failure: {
    requestId: 'string',
    errorId: 'string',
    operation: 'string',
    cause: 'string',
    stack: 'string',
  },
  /** A check of `/health` failed. */
  unhealthy: { dependency: 'string', cause: 'string' },
  /** The scheduled run has removed keys. */
  'old keys removed': {
    removed: 'number',
    steps: 'number',
    left: 'boolean',
    bytes: 'number',
    ms: 'number',
  },
  /** The scheduled run has done nothing. */
  'old keys kept': { cause: 'string' },
  /** The scheduled run has failed. */
  'old keys not removed': { cause: 'string' },
  /** An object of the limiter did not answer in time, or failed. */
  'limiter degraded': { cause: 'string' },
} as const satisfies Record<string, Readonly<Record<string, keyof Kinds>>>

/** What a member can hold. */
interface Kinds {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
}

/** What a line tells of. */
export type LogEvent = keyof typeof logLines

/** The members of the lines about an event. A member that is undefined is not in the line. */
type LogFields<Event extends LogEvent> = {
  readonly [Member in keyof (typeof logLines)[Event]]:
    | Kinds[(typeof logLines)[Event][Member] & keyof Kinds]
    | undefined
}

/** A line of the log. */
export type LogLine<Event extends LogEvent> = LogFields<Event> & {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: Event
}

/** Writes one line of JSON to the log, at a level that the platform counts. */
export function log<Event extends LogEvent>(line: LogLine<Event>): void {
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

/** The stack frames of an error from the innermost call on, for the log only. The message is left out: `describe` gives it. */
export function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) {
    return undefined
  }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return frames.length === 0 ? undefined : frames.map((line) => line.trim()).join('\n')
}
