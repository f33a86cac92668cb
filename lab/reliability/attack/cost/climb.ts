import { type Gene, type Genome, mutate, randomGenome } from './genes.ts'
import type { Random } from './random.ts'

/** Looks for the genome that costs most. Ask it for the {@link next} one, and tell it what that cost. */
export interface Climb {
  readonly next: () => Genome
  readonly learn: (genome: Genome, cost: number) => void
  /** What it goes on from. */
  readonly cost: () => number
}

/** Mutations in a row that cost no more, until it begins elsewhere. */
const patience = 60

/**
 * Hill climbing with restarts: mutates the best so far and keeps what costs more. After {@link patience} failures it goes
 * on from any genome, and one time in two from the best of all.
 */
export function climbOf(genes: readonly Gene[], start: Genome, random: Random): Climb {
  let current = { genome: start, cost: Number.NEGATIVE_INFINITY }
  let best = current
  let failures = 0
  let restarts: Genome | undefined = start
  return {
    cost: () => current.cost,
    next() {
      if (failures > patience) {
        failures = 0
        const isAnew = random(2) === 0
        restarts = isAnew ? randomGenome(genes, random) : undefined
        current = isAnew ? { genome: restarts ?? start, cost: Number.NEGATIVE_INFINITY } : best
      }
      const genome = restarts ?? mutate(genes, current.genome, random)
      restarts = undefined
      return genome
    },
    learn(genome, cost) {
      if (cost > current.cost) {
        current = { genome, cost }
        failures = 0
      } else {
        failures += 1
      }
      if (cost > best.cost) {
        best = { genome, cost }
      }
    },
  }
}
