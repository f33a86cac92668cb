import { broken, costBy, type Fault, type Measure } from './bounds.ts'
import type { Candidate, Subject } from './candidate.ts'
import { climbOf } from './climb.ts'
import { familyOf, type Genome, plainGenome } from './genes.ts'
import type { Measured, Meter } from './meter.ts'
import { randomOf, seedOf } from './random.ts'

/** A request, and what it has cost. */
export interface Finding {
  readonly subject: Subject
  readonly genome: Genome
  readonly candidate: Candidate
  readonly measured: Measured
}

/** The request of each subject that costs most by each measure. */
type Worst = ReadonlyMap<Subject, ReadonlyMap<Measure, Finding>>

/** A request that breaks a bound. */
interface Broken extends Finding {
  readonly fault: Fault
}

/** What a search has found. */
export interface Searched {
  readonly worst: Worst
  /** The worst request that breaks each bound of counts, by subject and bound. */
  readonly broken: ReadonlyMap<string, Broken>
  readonly requests: number
}

/** How long a search takes, from which seed, and whether it looks at CPU. */
export interface SearchOptions {
  readonly seed: number
  readonly seconds: number
  /** Where the machine is shared, CPU cannot be trusted. */
  readonly withCpu: boolean
}

/** By what the requests of a subject are made worse. */
function measuresOf({ writes }: Subject, withCpu: boolean): readonly Measure[] {
  return [
    'rows',
    'bytes',
    'refusal',
    ...(writes ? (['undone'] as const) : []),
    ...(withCpu ? (['cpu'] as const) : []),
  ]
}

/**
 * Searches every subject for what costs most by each measure: first a plain request and those that differ from it in one
 * thing, for half of the time at most, then one climb for each measure, all in turn until the time is over. Requests of the same seed are the same, one
 * after the other; but climbs towards CPU go where that leads them.
 */
export async function search(
  meter: Meter,
  subjects: readonly Subject[],
  { seed, seconds, withCpu }: SearchOptions,
): Promise<Searched> {
  const worst = new Map<Subject, Map<Measure, Finding>>()
  const faults = new Map<string, Broken>()
  const end = performance.now() + seconds * 1000
  let requests = 0

  async function tryOut(subject: Subject, genome: Genome): Promise<Measured | undefined> {
    const candidate = subject.render(genome)
    const measured = await meter.measure(candidate)
    requests += 1
    if (measured) {
      keep({ subject, genome, candidate, measured })
    }
    return measured
  }

  function keep(finding: Finding): void {
    const { subject, measured } = finding
    const most = worst.get(subject) ?? new Map<Measure, Finding>()
    worst.set(subject, most)
    for (const measure of measuresOf(subject, withCpu)) {
      const known = most.get(measure)
      if (!known || costBy(measure, measured) > costBy(measure, known.measured)) {
        most.set(measure, finding)
      }
    }
    for (const fault of broken(measured)) {
      const name = `${subject.name}: ${fault.bound}`
      if (fault.cost > (faults.get(name)?.fault.cost ?? 0)) {
        faults.set(name, { ...finding, fault })
      }
    }
  }

  const climbs = subjects.flatMap((subject) =>
    measuresOf(subject, withCpu).map((measure) => {
      const random = randomOf(seedOf(seed, `${subject.name} ${measure}`))
      return { subject, measure, climb: climbOf(subject.genes, plainGenome(subject.genes), random) }
    }),
  )
  const half = performance.now() + (seconds * 1000) / 2
  for (const { subject, genome } of inTurn(subjects)) {
    const measured = await tryOut(subject, genome)
    for (const climb of measured ? climbs.filter((one) => one.subject === subject) : []) {
      climb.climb.learn(genome, measured ? costBy(climb.measure, measured) : 0)
    }
    if (performance.now() > half) {
      break
    }
  }
  while (performance.now() < end) {
    if (withCpu) {
      await meter.plainPage(20)
    }
    for (const { subject, measure, climb } of climbs) {
      const genome = climb.next()
      const measured = await tryOut(subject, genome)
      if (measured) {
        climb.learn(genome, await costOf(subject, genome, measure, measured, climb.cost()))
      }
      if (performance.now() >= end) {
        break
      }
    }
  }
  return { worst, broken: faults, requests }

  /** CPU that looks like more than before is looked at twice again: a compiler or collector may have been at work. */
  async function costOf(
    subject: Subject,
    genome: Genome,
    measure: Measure,
    measured: Measured,
    before: number,
  ): Promise<number> {
    const cost = costBy(measure, measured)
    if (measure !== 'cpu' || cost <= before) {
      return cost
    }
    const again = [await tryOut(subject, genome), await tryOut(subject, genome)]
    return Math.min(cost, ...again.map((other) => (other ? costBy(measure, other) : 0)))
  }
}

/** The corners of all subjects, one of each in turn. */
function inTurn(subjects: readonly Subject[]): { subject: Subject; genome: Genome }[] {
  return subjects
    .flatMap((subject) => corners(subject).map((genome, index) => ({ subject, genome, index })))
    .sort((a, b) => a.index - b.index)
}

/** The plain request; what the subject itself would try; and each gene at its most, by itself and with much of its family. */
function corners({ genes, seeds }: Subject): Genome[] {
  const plain = plainGenome(genes)
  const choices = genes.filter(({ most }) => most <= mostChoices)
  const amounts = genes.filter(({ most }) => most > mostChoices)
  return [
    plain,
    ...seeds.map((seed) => ({ ...plain, ...seed })),
    ...amounts.map(({ name, most }) => ({ ...plain, [name]: most })),
    ...choices.flatMap((choice) => {
      const much = amounts
        .filter((amount) => familyOf(amount) === familyOf(choice))
        .map(({ name, most }) => [name, most] as const)
      return Array.from({ length: choice.most }, (_, index) => [
        { ...plain, [choice.name]: index + 1 },
        ...(much.length > 0
          ? [{ ...plain, ...Object.fromEntries(much), [choice.name]: index + 1 }]
          : []),
      ]).flat()
    }),
  ]
}

/** A gene of more values than that is an amount, not a choice. */
const mostChoices = 40
