import type { Cost } from '../probes.ts'

/** A step of a plan that was carried out, as `EXPLAIN (ANALYZE, BUFFERS, FORMAT json)` tells it: the part that counts here. */
interface Step {
  readonly 'Node Type': string
  /** The table that it looks at rows of. */
  readonly 'Relation Name'?: string
  /** A mean of all loops, as are those that were removed. */
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  /** Pages, those of the steps inside it included. */
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly Step[]
}

/** A statement that was carried out. */
interface Done {
  readonly ms: number
  readonly plan: Step
}

/** The statements in lines of the log, where `auto_explain` writes the plan of each as JSON, in lines that begin with a tab. */
export function plansIn(lines: readonly string[]): Done[] {
  return lines.flatMap((line, at) => {
    const [, ms] = /LOG: {2}duration: (\S+) ms {2}plan:$/.exec(line) ?? []
    if (ms === undefined) {
      return []
    }
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((next) => !next.startsWith('\t'))
    const json = rest.slice(0, end < 0 ? rest.length : end).join('\n')
    return [{ ms: Number(ms), plan: JSON.parse(json).Plan }]
  })
}

/** What statements have cost: the rows of tables that they have looked at, those included that were of no use, and pages. */
export function costIn(done: readonly Done[]): Cost {
  const sum = (of: (each: Done) => number) => done.reduce((total, each) => total + of(each), 0)
  return {
    read: Math.round(sum(({ plan }) => rowsOf(plan))),
    written: 0,
    pages: sum(({ plan }) => pagesOf(plan)),
    ms: sum(({ ms }) => ms),
  }
}

function rowsOf(step: Step): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, Plans = [] } = step
  const { 'Rows Removed by Filter': filtered = 0 } = step
  const { 'Rows Removed by Index Recheck': rechecked = 0 } = step
  // A scan of the index alone, before the one of the table that it is for, names no table.
  const isScan = step['Node Type'].endsWith('Scan') && step['Relation Name'] !== undefined
  const own = isScan ? (rows + filtered + rechecked) * loops : 0
  return Plans.reduce((total, inner) => total + rowsOf(inner), own)
}

function pagesOf(step: Step): number {
  return (step['Shared Hit Blocks'] ?? 0) + (step['Shared Read Blocks'] ?? 0)
}
