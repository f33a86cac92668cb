import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { short } from './figures.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')

/** The chart, below the folder of the document. */
export const chartFile = join('images', 'performance.svg')

/**
 * Puts generated text into docs/performance.md, between its two marks; the rest of the document is written by
 * hand and stays.
 *
 * @param mark the name in the marks
 * @throws Error when the document has no such marks
 */
export async function writeFigures(mark: string, text: string): Promise<void> {
  const file = join(docs, 'performance.md')
  const [start, end] = [`<!-- ${mark}: begin -->\n`, `<!-- ${mark}: end -->`]
  const document = await readFile(file, 'utf8')
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) {
    throw new Error(`${file} has no marks for ${mark}`)
  }
  const before = document.slice(0, from + start.length)
  await writeFile(file, `${before}\n${text.trim()}\n\n${document.slice(to)}`)
}

/** Writes the chart beside the document. */
export async function writeChart(svg: string): Promise<void> {
  await writeFile(join(docs, chartFile), svg)
}

/** A table in Markdown: the first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** A table in Markdown of the parts of a bundle and the share of each, in their order. Folders of `src` are set as code. */
export function sharesTable(
  unit: string,
  parts: readonly (readonly [name: string, value: number])[],
): string {
  const whole = parts.reduce((sum, [, value]) => sum + value, 0)
  const rows = parts.map(([name, value]) => [
    name.startsWith('src') ? `\`${name}\`` : name,
    short(value),
    `${((value / whole) * 100).toFixed(0)} %`,
  ])
  return table(['', unit, 'Share'], rows)
}
