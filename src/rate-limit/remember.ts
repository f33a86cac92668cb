/** Entries that a map of an isolate keeps; the longest unused goes first. */
export const mostRemembered = 10_000

/** Puts the entry last and, where there are too many, drops the first. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= mostRemembered) {
    return
  }
  const [oldest] = map.keys()
  if (oldest !== undefined) {
    map.delete(oldest)
  }
}
