/** Whole numbers from 0 to below a bound, the same for the same seed. */
export type Random = (below: number) => number

/** Random numbers of a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let hash = Math.imul(state ^ (state >>> 15), state | 1)
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61)
    return Math.floor((((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** A seed of its own for everything that has a name (FNV-1a). */
export function seedOf(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed
  for (const byte of Buffer.from(name)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return hash >>> 0
}
