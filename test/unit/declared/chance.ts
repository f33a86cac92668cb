import fc from 'fast-check'

/** All chance of a trial: the same seed gives the same choices. */
export function chanceOf(seed: number) {
  const [numbers] = fc.sample(fc.infiniteStream(fc.nat()), { seed, numRuns: 1 })
  const below = (end: number): number => Number(numbers?.next().value) % end
  return {
    below,
    pick: <Value>(all: readonly Value[]): Value => all[below(all.length)] as Value,
    some: <Value>(all: readonly Value[], most: number): Value[] =>
      all
        .map((one) => [below(1e6), one] as const)
        .toSorted(([one], [other]) => one - other)
        .slice(0, below(most + 1))
        .map(([, one]) => one),
    one: <Value>(arbitrary: fc.Arbitrary<Value>): Value =>
      fc.sample(arbitrary, { seed: below(1e9), numRuns: 1 })[0] as Value,
  }
}
