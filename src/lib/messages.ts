/** The messages of an error and its causes; an empty text for a value that is not an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''
}
