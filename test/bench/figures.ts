import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'

/** The median of at least one value, with the least and the greatest. */
export function spreadOf(values: readonly number[]) {
  const ascending = values.toSorted((a, b) => a - b)
  const at = (index: number): number => ascending[index] ?? Number.NaN
  const middle = (values.length - 1) / 2
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
  return { median, least: at(0), most: at(values.length - 1) }
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
