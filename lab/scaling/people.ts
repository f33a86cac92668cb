import type { Person } from './databases.ts'

const first = ['Ada', 'ada', 'Bo', 'Cem', 'Dina', 'Émile', 'Ola', 'Åse', 'Zoë', 'Zoe']
const last = ['Berg', 'Dahl', 'Eide', 'Foss', 'Lund', 'Moen', 'Øye', 'van Dijk']
const countries = ['NO', 'SE', 'DK', 'FR', 'TR', 'NL', 'US', 'IN']

/** Milliseconds since the epoch of the first and the last id. */
const span = { start: Date.UTC(2025, 0, 1), end: Date.UTC(2026, 0, 1) }

/** The id of a user made when a part (from 0 to 1) of the time of the simulation had passed. */
export function idAt(part: number, random: number): string {
  const at = Math.floor(span.start + (span.end - span.start) * part)
  const time = at.toString(16).padStart(12, '0')
  const tail = Math.floor(random * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-0000${tail}`
}

/** People with few different names, so that sorts meet equal keys, and with relatives anywhere. Always the same. */
export function makePeople(count: number): readonly Person[] {
  const random = generator(20_261_121)
  const ids = Array.from({ length: count }, (_, index) => idAt(index / count, random()))
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item
  return ids.map((id, index) => {
    // The order of e-mail addresses has nothing to do with that of ids.
    const scattered = Math.floor(random() * 2 ** 32).toString(36)
    return {
      id,
      fullName: `${pick(first)} ${pick(last)}`,
      email: `${scattered}.${index}@example.com`,
      citizenships: [...new Set([pick(countries), pick(countries)])],
      relatives: [...new Set([pick(ids), pick(ids)])].filter((relative) => relative !== id),
    }
  })
}

/** Pseudo-random numbers from 0 to 1 (a linear congruential generator, with the constants of Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
