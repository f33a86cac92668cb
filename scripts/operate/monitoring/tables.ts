import { type Alert, countOf, type OutsideAlert, percent, timeOf, whenOf } from './alert.ts'
import { budgetOf, days, type Objective } from './objectives.ts'

/** The requests a second for which a budget is told in requests, too. */
const exampleRate = 10

/** The table of the alerts in docs/operations.md: those that wake somebody first. */
export function alertTable(
  alerts: readonly Alert[],
  outside: readonly OutsideAlert[],
): readonly string[] {
  const rows = [...outside, ...alerts.map((alert) => ({ ...alert, when: whenOf(alert) }))]
  const woken = rows.filter(({ wakes }) => wakes)
  const others = rows.filter(({ wakes }) => !wakes)
  return table(
    ['Alert', 'When', 'Wake somebody?', 'First thing to do'],
    [...woken, ...others].map(({ name, when, wakes, first }) => [
      name,
      when,
      wakes ? 'yes' : 'no',
      first,
    ]),
  )
}

/** The table of the objectives in docs/operations.md, with their budgets in numbers. */
export function objectiveTable(objectives: readonly Objective[]): readonly string[] {
  const seconds = days * 24 * 60 * 60
  return table(
    [
      'Objective',
      `Within ${days} days`,
      'Of which queries',
      'Error budget',
      `At ${exampleRate} such requests a second`,
      'All at once',
    ],
    objectives.map((objective) => {
      const { name, good, bad, among, target } = objective
      const budget = budgetOf(objective)
      return [
        name,
        `${percent(target)} of ${good}`,
        `"${bad.called}" of "${among.called}"`,
        `${percent(budget)}: 1 of ${countOf(1 / budget)}`,
        countOf(Math.floor(budget * seconds * exampleRate)),
        timeOf(Math.floor((budget * seconds) / 60)),
      ]
    }),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '-'), ...rows].map((cells) =>
    cells[0] === '-' ? `|${cells.map(() => '---').join('|')}|` : `| ${cells.join(' | ')} |`,
  )
}

/**
 * A document with a table in place of what stands between its marks: `<!-- alerts: begin -->` and `<!-- alerts: end -->`.
 *
 * @throws Error where it does not have the marks
 */
export function withTable(document: string, name: string, rows: readonly string[]): string {
  const [begin, end] = ['begin', 'end'].map((mark) => `<!-- ${name}: ${mark} -->`)
  const from = document.indexOf(`${begin}\n`)
  const to = document.indexOf(`${end}\n`, from)
  if (from < 0 || to < 0) {
    throw new Error(`The document has no marks for the table ${name}`)
  }
  return `${document.slice(0, from)}${begin}\n${rows.join('\n')}\n${document.slice(to)}`
}
