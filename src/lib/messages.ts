/** The names and the messages of an error and its causes, for the log and for whoever looks for a message of the database. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const cause = error.cause === undefined ? '' : ` < ${messageOf(error.cause)}`
  return `${error.name}: ${error.message}${cause}`
}
