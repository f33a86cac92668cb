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
