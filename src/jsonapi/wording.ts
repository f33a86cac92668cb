/**
 * A sentence that names what is at fault, the value that was sent, and what it must be.
 *
 * @param must what the value must be, a phrase that begins with "must"
 * @param value the value that was sent, which the sentence repeats unless it is an object, an array or undefined
 */
export function sentence(subject: string, must: string, value?: unknown): string {
  const said =
    typeof value === 'string'
      ? quote(value)
      : typeof value === 'object' && value !== null
        ? undefined
        : value?.toString()
  return said === undefined ? `${subject} ${must}.` : `${subject} is ${said}, but ${must}.`
}

/** A value in the form in which errors repeat it: short, in quotes, on one line. */
export function quote(value: unknown): string {
  return JSON.stringify(
    brief(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')),
  )
}

/** The first 64 characters of a text at most, as well-formed UTF-16. */
export function brief(text: string): string {
  return (text.length > 64 ? `${text.slice(0, 64)}…` : text).toWellFormed()
}

/** The list of allowed values in a detail. */
export function listed(values: readonly unknown[]): string {
  return values.length > 0 ? values.join(', ') : 'none'
}
