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
  for (const simpler of [
    ...simplifications(subject.corners[0]),
    ...withoutPairs(finding.candidate),
  ]) {
    const candidate = simpler(found.candidate)
    if (JSON.stringify(candidate) !== JSON.stringify(found.candidate)) {
      const measured = await meter.measure(candidate)
      if (measured && costBy(measure, measured) >= least) {
        found = { subject, candidate, measured }
      }
    }
  }
  return found
}

type Simplification = (candidate: Candidate) => Candidate

/** Each part as the plain request has it. */
function simplifications(plain: Candidate): Simplification[] {
  const parts = Object.keys(plain) as (keyof Candidate)[]
  return parts.map((part) => (candidate) => ({ ...candidate, [part]: plain[part] }))
}

/** Each pair of the query left out. */
function withoutPairs({ query }: Candidate): Simplification[] {
  return query.map((pair) => (candidate) => ({
    ...candidate,
    query: candidate.query.filter((other) => other !== pair),
  }))
}

async function steadily(meter: Meter, { candidate, measured }: Finding): Promise<Measured> {
  const all: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    await meter.plainPage(each * 4)
    for (let left = each; left > 0; left--) {
      all.push((await meter.measure(candidate)) ?? measured)
    }
  }
  all.sort((a, b) => a.pages - b.pages)
  return all[Math.floor(all.length / 2)] ?? measured
}
