import type { Random } from './random.ts'

/** One thing about a request that can be more or less, or this or that: a whole number from 0 to `most`. */
export interface Gene {
  readonly name: string
  readonly most: number
}

/** The value of each gene by its name. All at 0 is a plain request. */
export type Genome = Readonly<Record<string, number>>

/** All genes at 0. */
export function plainGenome(genes: readonly Gene[]): Genome {
  return Object.fromEntries(genes.map(({ name }) => [name, 0]))
}

/** Any value for each gene; half of them stay at 0, so that one mistake does not hide all else. */
export function randomGenome(genes: readonly Gene[], random: Random): Genome {
  return Object.fromEntries(
    genes.map(({ name, most }) => [name, random(2) === 0 ? 0 : random(most + 1)]),
  )
}

/** The genome with one to three of its genes changed, each perhaps with those of its family: they mean something together. */
export function mutate(genes: readonly Gene[], genome: Genome, random: Random): Genome {
  const changed: Record<string, number> = { ...genome }
  for (let left = 1 + random(3); left > 0; left--) {
    const gene = genes[random(genes.length)]
    const isAlone = random(2) === 0
    for (const other of genes) {
      if (other === gene || (!isAlone && gene && familyOf(other) === familyOf(gene))) {
        changed[other.name] = mutated(other, changed[other.name] ?? 0, random)
      }
    }
  }
  return changed
}

/** What genes are about: the first word of their names. */
export function familyOf({ name }: Gene): string {
  return name.split(' ', 1)[0] ?? ''
}

function mutated({ most }: Gene, value: number, random: Random): number {
  const candidates = [
    0,
    most,
    random(most + 1),
    random(most + 1),
    value * 2,
    Math.floor(value / 2),
    value + 1,
    value - 1,
  ]
  const chosen = candidates[random(candidates.length)] ?? 0
  return Math.max(0, Math.min(most, chosen))
}
