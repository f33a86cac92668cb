/** A line of the Worker's log as a terminal shows it: of an answered request only the most important, anything else as it is. */
export function terminalLine(line: string): string {
  const { event, method, operation, status, ms, requestId } = membersOf(line)
  return event === 'request'
    ? `${method} ${operation ?? '(no operation)'} ${status} ${ms} ms ${requestId}`
    : line
}

function membersOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return line.startsWith('{') ? JSON.parse(line) : {}
  } catch {
    return {}
  }
}
