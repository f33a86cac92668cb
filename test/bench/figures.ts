import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'

/** A middle value with the least and the greatest around it. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** The spread of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const ascending = values.toSorted((a, b) => a - b)
  const middle = ascending.length / 2
  const upper = ascending[Math.floor(middle)] ?? Number.NaN
  const lower = ascending[Math.ceil(middle) - 1] ?? upper
  return {
    median: (lower + upper) / 2,
    least: ascending[0] ?? Number.NaN,
    most: ascending.at(-1) ?? Number.NaN,
  }
}

/** A number for readers: at most three significant digits, with the thousands separated. */
export function short(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** A row of a table in Markdown. */
export function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** The head of a table in Markdown, with the line below it: the first column is text, the others are figures. */
export function head(...cells: readonly string[]): string {
  return `${row(...cells)}\n${row(...cells.map((_, index) => (index === 0 ? '---' : '---:')))}`
}

/** The date, the commit and the machine that figures come from. */
export function circumstances(): string {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' })
  const processors = `${availableParallelism()} × ${cpus()[0]?.model.trim()}`
  const date = new Date().toISOString().slice(0, 10)
  return `Measured on ${date}, of commit \`${commit.trim()}\`, on ${processors}.\n`
}
