import type { LogEvent, LogFields } from './log-lines.ts'

/** Writes one line of JSON to the log, at a level that the platform counts. */
export function log<Event extends LogEvent>(
  level: 'info' | 'warn' | 'error',
  event: Event,
  fields: LogFields<Event>,
): void {
  const line = JSON.stringify({ level, event, ...fields })
  if (level === 'error') {
    console.error(line)
  } else {
    console.log(line)
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
