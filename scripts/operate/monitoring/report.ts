import { type Alert, countOf, percent, whenOf } from './alert.ts'
import { alerts } from './alerts.ts'
import { figureOf, judge, type Verdict } from './evaluate.ts'
import { budgetOf, type Objective, objectives } from './objectives.ts'
import type { Log } from './read-log.ts'

/** What a log says of all alerts and objectives, as text: a line about the log, then one for each of them. */
export function reportOf(log: Log): string {
  const verdicts = alerts.map((alert) => judge(alert, log))
  const firing = verdicts.filter(({ fires }) => fires)
  return [
    aboutLog(log),
    '',
    ...verdicts.map(alertLine),
    '',
    ...objectives.map((objective) => objectiveLine(objective, log)),
    '',
    firing.length === 0
      ? 'No alert fires.'
      : `${firing.length} of ${verdicts.length} alerts fire. First:`,
    ...firing.map(({ alert }) => `  ${alert.name}: ${alert.first}`),
  ].join('\n')
}

function aboutLog({ lines, isTimed, others }: Log): string {
  const [first, last] = [lines[0], lines.at(-1)].map((line) => clock(line?.time ?? 0))
  const when = isTimed ? `from ${first} to ${last} UTC` : 'as if written in one minute'
  const rest = others === 0 ? '' : `; other texts left out: ${countOf(others)}`
  return `Lines of the service: ${countOf(lines.length)}${lines.length === 0 ? '' : `, ${when}`}${rest}`
}

const states = { fires: 'FIRES', wakes: 'FIRES, wakes', quiet: 'quiet' } as const
const nameWidth = Math.max(...alerts.map(({ name }) => name.length))

function alertLine({ alert, fires, figures, isTooFew, who, at }: Verdict): string {
  const state = fires ? (alert.wakes ? states.wakes : states.fires) : states.quiet
  const told = figures.map((figure) => figureText(alert, figure)).join(' and ')
  const missing = isTooFew ? 'too few to tell' : 'nothing to judge'
  const worst = [told || missing, who, fires && at > 0 && `by ${clock(at)}`]
  return [
    state.padEnd(states.wakes.length),
    alert.name.padEnd(nameWidth),
    `${worst.filter(Boolean).join(', ')} (${whenOf(alert)})`,
  ].join('  ')
}

function figureText({ figure }: Alert, value: number): string {
  return figure.kind === 'share' ? percent(value) : countOf(value)
}

/** How an objective fared, beside what its budget allows. */
function objectiveLine(objective: Objective, log: Log): string {
  const { name, bad, among } = objective
  const share = figureOf({ kind: 'share', of: bad, among }, log)
  if (share === undefined) {
    return `${name}: there are no ${among.called}`
  }
  const count = countOf(figureOf({ kind: 'number', of: among }, log) ?? 0)
  const allowed = percent(budgetOf(objective))
  return `${name}: ${percent(share)} of ${count} ${among.called} are ${bad.called}; the budget allows ${allowed}`
}

function clock(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
