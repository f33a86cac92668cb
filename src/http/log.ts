/** The fields of a log line. Never a token, a query value, or anything personal. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Writes one structured line, as JSON. Errors go where the platform counts them. */
export function log(level: 'info' | 'warn' | 'error', event: string, fields: LogFields): void {
  const line = JSON.stringify({ level, event, ...fields })
  if (level === 'error') {
    console.error(line)
  } else {
    console.log(line)
  }
}

/** What an error says of itself, with its causes: for the log only. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const cause = error.cause === undefined ? '' : ` < ${describe(error.cause)}`
  return `${error.name}: ${error.message}${cause}`
}

/** Where an error came from, line by line from the innermost call on: for the log only. Without its message, which `describe` tells. */
export function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) {
    return undefined
  }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return frames.length === 0 ? undefined : frames.map((line) => line.trim()).join('\n')
}
