/** Returns a function that makes a value at its first call, and returns the same value later. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Puts an entry at the end of a map. Drops the oldest entries past `max`. */
export function putBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number) {
  map.delete(key)
  map.set(key, value)
  while (map.size > max) {
    const [oldest] = map.keys()
    map.delete(oldest as Key)
  }
}
