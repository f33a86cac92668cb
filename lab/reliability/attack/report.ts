import { costBy, type Measure, measures } from './bounds.ts'
import type { Callers } from './callers.ts'
import { commandOf } from './candidate.ts'
import type { Remembered } from './refusals.ts'
import type { Finding } from './search.ts'

/** The worst of one subject, by measure. */
export interface Row {
  readonly name: string
  readonly worst: ReadonlyMap<Measure, Finding>
}

/** Everything that a run has found. */
export interface Report {
  readonly seed: number
  readonly requests: number
  readonly rows: readonly Row[]
  readonly remembered: readonly Remembered[]
  readonly faults: readonly string[]
}

/** Tells the worst request of everything by every measure. */
export function print(
  { rows, remembered, faults, requests, seed }: Report,
  callers: Callers,
): void {
  for (const { name, worst } of rows) {
    console.log(`\n${name}`)
    for (const [measure, finding] of worst) {
      const { tokens, status } = finding.measured
      const price = tokens === undefined ? 'no price' : `${tokens} tokens`
      console.log(`  ${shown(measure, finding)} ${measures[measure]} (${status}, ${price})`)
      console.log(`    ${curl(finding, callers)}`)
    }
  }
  console.log(`\n${rememberedText(remembered)}`)
  console.log(`\nSeed ${seed}, ${requests} requests; ${faults.length} bounds are broken`)
  for (const fault of faults) {
    console.error(fault)
  }
}

function shown(measure: Measure, { measured }: Finding): string {
  const cost = costBy(measure, measured)
  return cost.toLocaleString('en', { maximumFractionDigits: cost < 10 ? 2 : 0 })
}

function curl({ candidate }: Finding, callers: Callers): string {
  return commandOf(candidate, (callers[candidate.caller] ?? []).length > 0)
}

function rememberedText(remembered: readonly Remembered[]): string {
  const calls = Math.max(...remembered.map(({ roundTrips }) => roundTrips))
  const pages = remembered.flatMap(({ pages: one }) => one ?? [])
  const cpu =
    pages.length > 0 ? `, at most ${Math.max(...pages).toFixed(2)} plain pages of CPU` : ''
  return `Remembered refusals of ${remembered.length} operations: at most ${calls} calls of D1${cpu}.`
}
