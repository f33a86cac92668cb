import fc, { type Arbitrary } from 'fast-check'
import type { Random } from './random.ts'

/** Looks for the value that costs most. Ask it for the {@link next} one, and tell it what that cost. */
export interface Climb<Value> {
  readonly next: () => Value
  readonly learn: (value: Value, cost: number) => void
  /** What it goes on from. */
  readonly cost: () => number
}

/** Mutations in a row that cost no more, until it begins elsewhere. */
const patience = 60

/**
 * Hill climbing with restarts: puts parts of any other value into the best so far and keeps what costs more. After
 * {@link patience} failures it goes on from any value, and one time in two from the best of all.
 */
export function climbOf<Value extends object>(
  any: Arbitrary<Value>,
  start: Value,
  seed: number,
  random: Random,
): Climb<Value> {
  const others = drawn(any, seed)
  const other = (): Value => others.next().value ?? start
  let current = { value: start, cost: Number.NEGATIVE_INFINITY }
  let best = current
  let failures = 0
  let fresh: Value | undefined = start
  return {
    cost: () => current.cost,
    next() {
      if (failures > patience) {
        failures = 0
        fresh = random(2) === 0 ? other() : undefined
        current = fresh ? { value: fresh, cost: Number.NEGATIVE_INFINITY } : best
      }
      const value = fresh ?? crossed(current.value, other(), random)
      fresh = undefined
      return value
    },
    learn(value, cost) {
      if (cost > current.cost) {
        current = { value, cost }
        failures = 0
      } else {
        failures += 1
      }
      if (cost > best.cost) {
        best = { value, cost }
      }
    },
  }
}

/** Values without end, the same for the same seed. */
function* drawn<Value>(any: Arbitrary<Value>, seed: number): Generator<Value> {
  for (let batch = 0; ; batch++) {
    yield* fc.sample(any, { seed: seed + batch, numRuns: 100 })
  }
}

/** A value with one to three of its parts from another one; of a list one item more, one fewer, or another one. */
function crossed<Value extends object>(one: Value, other: Value, random: Random): Value {
  const parts = Object.keys(other) as (keyof Value)[]
  const mixed = { ...one }
  for (let left = 1 + random(3); left > 0; left--) {
    const part = parts[random(parts.length)]
    if (part !== undefined) {
      const [mine, theirs] = [mixed[part], other[part]]
      const isList = Array.isArray(mine) && Array.isArray(theirs) && random(3) > 0
      mixed[part] = isList ? (crossedLists(mine, theirs, random) as Value[keyof Value]) : theirs
    }
  }
  return mixed
}

function crossedLists(mine: readonly unknown[], theirs: readonly unknown[], random: Random) {
  const at = random(mine.length + 1)
  const taken = theirs.length === 0 ? [] : [theirs[random(theirs.length)]]
  return [...mine.slice(0, at), ...taken, ...mine.slice(at + random(2))]
}
