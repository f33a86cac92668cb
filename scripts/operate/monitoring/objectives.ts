import type { Alert } from './alert.ts'
import { type Lines, linesOf } from './query.ts'
import { reads, writes } from './requests.ts'

/** A service level objective: the share of good answers within {@link days}. */
export interface Objective {
  readonly name: string
  /** What a good answer is. */
  readonly good: string
  readonly bad: Lines
  readonly among: Lines
  /** The share of good answers that is promised, below 1. */
  readonly target: number
  /** Where to look first when its budget burns. */
  readonly first: string
}

/** The days that an objective looks back: four weeks, so that each window has the same weekdays. */
export const days = 28

/** Milliseconds in which an answer is fast. */
export const fastMs = 500

const answered = linesOf(reads, 'reads that succeed', ['status', '<', 400])

export const objectives: readonly Objective[] = [
  {
    name: 'Reads',
    good: 'reads end in no 5xx',
    bad: linesOf(reads, 'reads that end in a 5xx', ['status', '>=', 500]),
    among: reads,
    target: 0.999,
    first: 'the `cause` of `failure` lines; roll back if a deployment is recent',
  },
  {
    name: 'Writes',
    good: 'writes end in no 5xx',
    bad: linesOf(writes, 'writes that end in a 5xx', ['status', '>=', 500]),
    among: writes,
    target: 0.999,
    first: 'the `cause` of `failure` lines; if D1 is overloaded, who writes the most?',
  },
  {
    name: 'Fast reads',
    good: `reads that succeed take at most ${fastMs} ms`,
    bad: linesOf(answered, `reads that succeed in more than ${fastMs} ms`, ['ms', '>', fastMs]),
    among: answered,
    target: 0.99,
    first: '`ms` by `operation`, `rowsRead` and `version`; D1 may stall: ask `/health`',
  },
]

/** The share of answers that may be bad: the error budget. Rounded, because 1 - 0.999 is not quite 0.001. */
export function budgetOf({ target }: Objective): number {
  return Number((1 - target).toPrecision(6))
}

/**
 * How fast a budget may burn, in budgets of {@link days} days for the same time, and over which windows. The long one shows that
 * it matters, the short one that it goes on.
 */
const burns = [
  { adverb: 'fast', rate: 14.4, minutes: [60, 5], atLeast: 10, wakes: true },
  { adverb: 'slowly', rate: 3, minutes: [24 * 60, 2 * 60], atLeast: 10, wakes: false },
] as const

/** The alerts of an objective: a budget that burns fast wakes somebody, one that burns slowly is a ticket. */
export function burnAlerts(objective: Objective): readonly Alert[] {
  const { name, bad, among, first } = objective
  return burns.map(({ adverb, rate, minutes, atLeast, wakes }) => ({
    name: `${name}: budget burns ${adverb}`,
    figure: { kind: 'share', of: bad, among },
    minutes,
    bound: { above: Number((rate * budgetOf(objective)).toPrecision(6)) },
    atLeast,
    wakes,
    first,
  }))
}
