import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { paths } from '../lib/config.ts'
import { minute, minuteOf, readQuery } from './logql.ts'
import type { Log } from './read-log.ts'

/** An alert of docs/monitoring/grafana/alerts.yaml. */
export interface Rule {
  readonly name: string
  /** LogQL: above 0 where it fires. */
  readonly query: string
  readonly wakes: boolean
  /** When it fires, after its name, and the first thing to do. */
  readonly summary: string
  readonly first: string
}

/** An objective of docs/monitoring/grafana/dashboard.json. */
interface Objective {
  readonly name: string
  /** LogQL: the share of its error budget that is left. */
  readonly query: string
}

/** What docs/monitoring asks of a log. */
export interface Rules {
  readonly alerts: readonly Rule[]
  readonly objectives: readonly Objective[]
}

/** A rule as Grafana's provisioning reads it, as far as it is read here. */
interface GrafanaRule {
  readonly title: string
  readonly data: readonly { readonly model: { readonly expr: string } }[]
  readonly labels: { readonly severity: 'page' | 'ticket' }
  readonly annotations: { readonly summary: string; readonly first: string }
}

/** Reads the files in docs/monitoring. */
export async function readRules(): Promise<Rules> {
  const folder = join(paths.root, 'docs', 'monitoring', 'grafana')
  const [rules, dashboard] = await Promise.all(
    ['alerts.yaml', 'dashboard.json'].map((name) => readFile(join(folder, name), 'utf8')),
  )
  const found: readonly GrafanaRule[] = parse(rules ?? '').groups[0].rules
  const { panels }: { panels: { type: string; title: string; targets: { expr: string }[] }[] } =
    JSON.parse(dashboard ?? '')
  return {
    alerts: found.map(({ title, data, labels, annotations }) => ({
      name: title,
      query: data[0]?.model.expr ?? '',
      wakes: labels.severity === 'page',
      ...annotations,
    })),
    objectives: panels
      .filter(({ type }) => type === 'stat')
      .map(({ title, targets }) => ({ name: title, query: targets[0]?.expr ?? '' })),
  }
}

/** What a log says of an alert. */
export interface Verdict {
  /** Does it fire at any minute of the log? */
  readonly fires: boolean
  /** What it compares, at the worst minute, in words: `1.5 % and 12`. */
  readonly figures: string
  /** The value of the member by which the figure is told apart. */
  readonly who: string
  /** The end of that minute, in milliseconds since 1970; 0 where the log does not tell times. */
  readonly at: number
}

/** Does an alert fire on a log, as it would if it were asked at the end of each minute? */
export function judge({ query }: Pick<Rule, 'query'>, log: Log): Verdict {
  const { at, comparisons } = readQuery(query, log)
  const [asked] = comparisons
  const last = minuteOf(log.lines.at(-1))
  const start = minuteOf(log.lines[0]) + (asked?.isBelow ? asked.window - 1 : 0)
  let worst: Verdict = { fires: false, figures: '', who: '', at: 0 }
  let worstFigure = Number.NEGATIVE_INFINITY
  for (let now = start; now <= last; now++) {
    const fires = [...at(now).values()].some((value) => value > 0)
    const [most] = [...(asked?.figure(now) ?? [])].toSorted(([, a], [, b]) => b - a)
    const figure = (most?.[1] ?? Number.NEGATIVE_INFINITY) * (asked?.isBelow ? -1 : 1)
    if (most && (fires === worst.fires ? figure > worstFigure : fires)) {
      worstFigure = figure
      worst = {
        fires,
        figures: comparisons
          .map(({ figure, isShare }) => told(figure(now).get(most[0]), isShare))
          .join(' and '),
        who: most[0],
        at: log.isTimed ? (now + 1) * minute : 0,
      }
    }
  }
  return worst
}

/** What a log says of all alerts and objectives, as text: a line about the log, then one for each of them. */
export function reportOf({ alerts, objectives }: Rules, log: Log): string {
  const verdicts = alerts.map((alert) => ({ ...alert, ...judge(alert, log) }))
  const firing = verdicts.filter(({ fires }) => fires)
  const width = Math.max(...alerts.map(({ name }) => name.length))
  return [
    aboutLog(log),
    '',
    ...verdicts.map(({ name, fires, wakes, figures, who, at, summary }) => {
      const state = fires ? (wakes ? 'FIRES, wakes' : 'FIRES') : 'quiet'
      const worst = [figures || 'nothing to judge', who, fires && at > 0 && `by ${clock(at)}`]
      const when = summary.slice(name.length + 2, -1)
      return `${state.padEnd(12)}  ${name.padEnd(width)}  ${worst.filter(Boolean).join(', ')} (${when})`
    }),
    '',
    ...objectives.map(({ name, query }) => {
      const left = readQuery(query, log)
        .at(minuteOf(log.lines.at(-1)))
        .get('')
      return `${name}: ${left === undefined ? 'nothing to judge' : told(left, true)}`
    }),
    '',
    firing.length === 0
      ? 'No alert fires.'
      : `${firing.length} of ${verdicts.length} alerts fire. First:`,
    ...firing.map(({ name, first }) => `  ${name}: ${first}`),
  ].join('\n')
}

function aboutLog({ lines, isTimed, others }: Log): string {
  const [first, last] = [lines[0], lines.at(-1)].map((line) => clock(line?.time ?? 0))
  const when = isTimed ? `from ${first} to ${last} UTC` : 'as if written in one minute'
  const rest = others === 0 ? '' : `; other texts left out: ${numbered(others)}`
  return `Lines of the service: ${numbered(lines.length)}${lines.length === 0 ? '' : `, ${when}`}${rest}`
}

/** A figure, or a share as a percentage of three digits at most. */
function told(value: number | undefined, isShare: boolean): string {
  if (value === undefined) {
    return 'nothing'
  }
  return isShare ? `${numbered(Number((value * 100).toPrecision(3)), 3)} %` : numbered(value)
}

function numbered(value: number, digits = 1): string {
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

function clock(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
