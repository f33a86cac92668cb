import { costBy, type Measure } from './bounds.ts'
import type { Candidate } from './candidate.ts'
import type { Measured, Meter } from './meter.ts'
import type { Finding } from './search.ts'

/** Rounds of the last measurement of CPU, and requests of a round, after as many plain pages. */
const rounds = 5
const each = 5

/**
 * The finding without what does not make it cost more, measured again; CPU is the median of many requests, each round of
 * them beside plain pages, so that what disturbs the machine disturbs both.
 */
export async function settled(meter: Meter, finding: Finding, measure: Measure): Promise<Finding> {
  const smaller = await shrunk(meter, finding, measure)
  return measure === 'cpu' ? { ...smaller, measured: await steadily(meter, smaller) } : smaller
}

async function shrunk(meter: Meter, finding: Finding, measure: Measure): Promise<Finding> {
  const { subject } = finding
  // What CPU is measured once only is not exact.
  const least = costBy(measure, finding.measured) * (measure === 'cpu' ? 0.9 : 1)
  let found = finding
  for (const { name } of subject.genes) {
    if ((found.genome[name] ?? 0) > 0) {
      const genome = { ...found.genome, [name]: 0 }
      const candidate = subject.render(genome)
      const measured = await meter.measure(candidate)
      if (measured && costBy(measure, measured) >= least) {
        found = { subject, genome, candidate, measured }
      }
    }
  }
  return found
}

async function steadily(meter: Meter, { candidate, measured }: Finding): Promise<Measured> {
  const all: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    await meter.plainPage(each * 4)
    all.push(...(await several(meter, candidate)))
  }
  all.sort((a, b) => a.pages - b.pages)
  return all[Math.floor(all.length / 2)] ?? measured
}

async function several(meter: Meter, candidate: Candidate): Promise<Measured[]> {
  const some: Measured[] = []
  for (let left = each; left > 0; left--) {
    const measured = await meter.measure(candidate)
    if (measured) {
      some.push(measured)
    }
  }
  return some
}
