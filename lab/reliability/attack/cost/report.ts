import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bounds, costBy, type Measure, measures } from './bounds.ts'
import type { Callers } from './callers.ts'
import { curlOf } from './candidate.ts'
import type { Cycle } from './cycles.ts'
import { rowsPerToken } from './cycles.ts'
import type { Remembered, Volley } from './refusals.ts'
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
  readonly cycle: Cycle | undefined
  readonly volley: Volley
  readonly remembered: readonly Remembered[]
  readonly faults: readonly string[]
}

/** What a number of a measure is held against. */
const bound: Readonly<Record<Measure, number>> = {
  rows: bounds.rows,
  bytes: bounds.bytes,
  refusal: bounds.refusal,
  undone: bounds.written,
  cpu: bounds.cpu,
}

/** Tells the worst request of everything by every measure. */
export function print(
  { rows, cycle, volley, remembered, faults, requests, seed }: Report,
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
  if (cycle) {
    console.log(`\n${cycleText(cycle)}\n  ${cycle.steps.join('; ')}`)
  }
  console.log(`\n${volleyText(volley)}`)
  console.log(rememberedText(remembered))
  console.log(`\nSeed ${seed}, ${requests} requests; ${faults.length} bounds are broken`)
  for (const fault of faults) {
    console.error(fault)
  }
}

/** Puts the table into the documentation, between its markers. */
export async function write(report: Report, callers: Callers): Promise<void> {
  const file = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'reliability.md')
  const text = await readFile(file, 'utf8')
  const [begin, end] = ['<!-- cost: begin -->\n', '<!-- cost: end -->']
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`${file} has no place for the table: ${begin}…${end}`)
  }
  await writeFile(file, `${before}${begin}${markdown(report, callers)}${end}${after}`)
}

function markdown(
  { rows, cycle, volley, remembered, seed, requests }: Report,
  callers: Callers,
): string {
  const columns = (Object.keys(measures) as Measure[]).filter((measure) =>
    rows.some(({ worst }) => worst.has(measure)),
  )
  const head = ['Operation', ...columns.map((measure) => measures[measure])]
  const lines = rows.map(({ name, worst }) => [
    name,
    ...columns.map((measure) => {
      const finding = worst.get(measure)
      return finding ? shown(measure, finding) : ''
    }),
  ])
  const worstOf = rows.flatMap(({ name, worst }) => {
    const [nearest] = [...worst].sort(([a, one], [b, other]) => share(b, other) - share(a, one))
    return nearest && share(...nearest) >= near
      ? [`# ${name}: ${shown(...nearest)} ${measures[nearest[0]]}\n${curl(nearest[1], callers)}`]
      : []
  })
  return [
    `Seed ${seed}, ${requests.toLocaleString('en')} requests.`,
    '',
    row(head),
    row(head.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...lines.map(row),
    '',
    ...(cycle ? [`${cycleText(cycle)}: ${cycle.steps.join('; ')}.`, ''] : []),
    volleyText(volley),
    rememberedText(remembered),
    '',
    'The request of each operation that comes nearest to a bound, where that is more than half of it:',
    '',
    '```sh',
    ...worstOf,
    '```',
    '',
  ].join('\n')
}

/** What share of a bound a request must take to be shown. */
const near = 0.5

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function share(measure: Measure, { measured }: Finding): number {
  return costBy(measure, measured) / bound[measure]
}

function shown(measure: Measure, { measured }: Finding): string {
  const cost = costBy(measure, measured)
  return cost.toLocaleString('en', { maximumFractionDigits: cost < 10 ? 2 : 0 })
}

function curl({ candidate }: Finding, callers: Callers): string {
  return curlOf(candidate, (callers[candidate.caller] ?? []).length > 0)
}

function cycleText(cycle: Cycle): string {
  const { requests, tokens, rowsWritten } = cycle
  return `Writes that end where they began: ${rowsPerToken(cycle).toFixed(1)} rows written per token (${rowsWritten} rows, ${tokens} tokens, ${requests} requests)`
}

function volleyText({ sent, admitted, refused, beyond, statements }: Volley): string {
  return `${sent.toLocaleString('en')} reads of one caller, 50 at a time: ${admitted} admitted, ${refused} refused, ${statements} statements, ${beyond} of them beyond those of the admitted.`
}

function rememberedText(remembered: readonly Remembered[]): string {
  const calls = Math.max(...remembered.map(({ roundTrips }) => roundTrips))
  const pages = remembered.flatMap(({ pages: one }) => one ?? [])
  const cpu =
    pages.length > 0 ? `, at most ${Math.max(...pages).toFixed(2)} plain pages of CPU` : ''
  return `Remembered refusals of ${remembered.length} operations: at most ${calls} calls of D1${cpu}.`
}
