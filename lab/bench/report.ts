import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const file = join(import.meta.dirname, '..', '..', 'docs', 'performance.md')

/**
 * Puts generated text into docs/performance.md, between its two marks; the rest of the document is written by
 * hand and stays.
 *
 * @param mark the name in the marks
 * @throws Error when the document has no such marks
 */
export async function writeFigures(mark: string, text: string): Promise<void> {
  const [start, end] = [`<!-- ${mark}: begin -->\n`, `<!-- ${mark}: end -->`]
  const document = await readFile(file, 'utf8')
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) {
    throw new Error(`${file} has no marks for ${mark}`)
  }
  const before = document.slice(0, from + start.length)
  await writeFile(file, `${before}\n${text.trim()}\n\n${document.slice(to)}`)
}

/** A table in Markdown: the first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
