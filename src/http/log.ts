import type { LogEvent, LogLine } from './log-lines.ts'

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
