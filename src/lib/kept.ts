/** Gives the function that makes a value when it is first asked for, and gives the same value from then on. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Gives the function that makes a value for an object when it is first asked for, and gives the same value from then on, without
 * a promise and as long as the object is in use. A value that could not be made is made again.
 */
export function lazyFor<Key extends object, Value extends NonNullable<unknown>>(
  make: (key: Key) => Promise<Value>,
): (key: Key) => Value | Promise<Value> {
  const made = new WeakMap<Key, Value>()
  const first = async (key: Key): Promise<Value> => {
    const value = await make(key)
    made.set(key, value)
    return value
  }
  return (key) => made.get(key) ?? first(key)
}

/** Puts an entry at the end of a map. Where the map has more than `most` entries then, the oldest one is dropped. */
export function putBounded<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key)
  map.set(key, value)
  while (map.size > most) {
    const [oldest] = map.keys()
    map.delete(oldest as Key)
  }
}
