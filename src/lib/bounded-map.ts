/**
 * Puts an entry last and, where there are more than `most`, drops the first: the one that was put in longest ago.
 */
export function putBounded<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) {
      return
    }
    map.delete(oldest)
  }
}
