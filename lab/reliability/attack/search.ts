import { broken, costBy, type Fault, type Measure } from './bounds.ts'
import type { Candidate, Subject } from './candidate.ts'
import { climbOf } from './climb.ts'
import type { Measured, Meter } from './meter.ts'
import { randomOf, seedOf } from './random.ts'

/** A request, and what it has cost. */
export interface Finding {
  readonly subject: Subject
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

/** Requests that a search makes at least, however slow the machine is: a quiet one makes as many in a minute. */
const least = 1_000

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
 * Searches every subject for what costs most by each measure: first its corners, for half of the time, then one climb for each measure, all
 * in turn until the time is over. Requests of the same seed are the same, one after the other; but climbs towards CPU go where that
 * leads them.
 */
export async function search(
  meter: Meter,
  subjects: readonly Subject[],
  { seed, seconds, withCpu }: SearchOptions,
): Promise<Searched> {
  const worst = new Map<Subject, Map<Measure, Finding>>()
  const faults = new Map<string, Broken>()
  const start = performance.now()
  let requests = 0

  async function tryOut(subject: Subject, candidate: Candidate): Promise<Measured | undefined> {
    const measured = await meter.measure(candidate)
    requests += 1
    if (measured) {
      keep({ subject, candidate, measured })
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
      const own = seedOf(seed, `${subject.name} ${measure}`)
      const climb = climbOf(subject.any, subject.corners[0], own, randomOf(own))
      return { subject, measure, climb }
    }),
  )
  const isOver = (share: number): boolean =>
    performance.now() >= start + seconds * 1000 * share && requests >= least * share
  for (const { subject, candidate } of inTurn(subjects)) {
    const measured = await tryOut(subject, candidate)
    for (const climb of measured ? climbs.filter((one) => one.subject === subject) : []) {
      climb.climb.learn(candidate, measured ? costBy(climb.measure, measured) : 0)
    }
    if (isOver(0.5)) {
      break
    }
  }
  while (!isOver(1)) {
    if (withCpu) {
      await meter.plainPage(20)
    }
    for (const { subject, measure, climb } of climbs) {
      const candidate = climb.next()
      const measured = await tryOut(subject, candidate)
      if (measured) {
        climb.learn(candidate, await costOf(subject, candidate, measure, measured, climb.cost()))
      }
      if (isOver(1)) {
        break
      }
    }
  }
  return { worst, broken: faults, requests }

  /** CPU that looks like more than before is looked at twice again: a compiler or collector may have been at work. */
  async function costOf(
    subject: Subject,
    candidate: Candidate,
    measure: Measure,
    measured: Measured,
    before: number,
  ): Promise<number> {
    const cost = costBy(measure, measured)
    if (measure !== 'cpu' || cost <= before) {
      return cost
    }
    const again = [await tryOut(subject, candidate), await tryOut(subject, candidate)]
    return Math.min(cost, ...again.map((other) => (other ? costBy(measure, other) : 0)))
  }
}

/** The corners of all subjects, one of each in turn. */
function inTurn(subjects: readonly Subject[]): { subject: Subject; candidate: Candidate }[] {
  return subjects
    .flatMap((subject) =>
      subject.corners.map((candidate, index) => ({ subject, candidate, index })),
    )
    .sort((a, b) => a.index - b.index)
}
