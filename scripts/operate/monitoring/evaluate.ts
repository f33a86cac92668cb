import { type Alert, type Figure, isBeyond } from './alert.ts'
import type { Condition, Lines, Test } from './query.ts'
import type { Line, Log } from './read-log.ts'

/** What a log says of an alert. */
export interface Verdict {
  readonly alert: Alert
  /** Does it fire at any minute of the log? */
  readonly fires: boolean
  /** The figures of its windows at the worst minute; none where a share is always of nothing, or the log shorter than the window. */
  readonly figures: readonly number[]
  /** Is there no figure because each window whose share is beyond the bound is made of fewer lines than the alert asks for? */
  readonly isTooFew: boolean
  /** The value of the member whose lines the figure counts. */
  readonly who: string | undefined
  /** The end of that minute, in milliseconds since 1970; 0 where the log does not tell times. */
  readonly at: number
}

/** Milliseconds. Figures are made of whole minutes. */
const minute = 60_000

/** The figure of one window. */
interface Found {
  readonly value: number | undefined
  readonly who?: string | undefined
}

/** What lines add up to in each minute, by the value of a member. */
type Minutes = ReadonlyMap<number, ReadonlyMap<string, number>>

/** Does an alert fire on a log, as it would if it were asked at the end of each minute? */
export function judge(alert: Alert, log: Log): Verdict {
  const { figure, bound, minutes, atLeast = 0 } = alert
  const first = minuteOf(log.lines[0])
  const last = minuteOf(log.lines.at(-1))
  const figureIn = figureOver(figure, log)
  const countIn = figureOver({ kind: 'number', of: figure.of }, log)
  const none = { alert, fires: false, figures: [], who: undefined, at: 0 }
  let worst: Verdict = { ...none, isTooFew: false }
  // A log that is shorter than the window shows no lack of lines.
  const start = 'below' in bound ? first + minutes[0] - 1 : first
  for (let now = start; now <= last; now++) {
    const found = minutes.map((window) => figureIn(now - window + 1, now))
    const figures = found.flatMap(({ value }) => value ?? [])
    if (figures.length === minutes.length) {
      const count = countIn(now - minutes[0] + 1, now).value ?? 0
      const isBeyondAll = figures.every((figure) => isBeyond(figure, bound))
      const at = log.isTimed ? (now + 1) * minute : 0
      const verdict =
        isBeyondAll && count < atLeast
          ? { ...none, isTooFew: true }
          : { alert, fires: isBeyondAll, figures, isTooFew: false, who: found[0]?.who, at }
      worst = isWorse(verdict, worst) ? verdict : worst
    }
  }
  return worst
}

/**
 * Is a verdict worse than another one of the same alert? One that fires is; then the window that is nearest its bound decides;
 * then one of too few lines, beside nothing.
 */
function isWorse(one: Verdict, other: Verdict): boolean {
  if (one.fires !== other.fires) {
    return one.fires
  }
  const nearer = badness(one) - badness(other)
  return Number.isNaN(nearer) ? one.isTooFew && !other.isTooFew : nearer > 0
}

function badness({ alert, figures }: Verdict): number {
  const sign = 'above' in alert.bound ? 1 : -1
  return figures.length === 0
    ? Number.NEGATIVE_INFINITY
    : Math.min(...figures.map((figure) => figure * sign))
}

function minuteOf(line: Line | undefined): number {
  return Math.floor((line?.time ?? 0) / minute)
}

/** The figure over a whole log; none where a share is of nothing. */
export function figureOf(figure: Figure, log: Log): number | undefined {
  return figureOver(figure, log)(minuteOf(log.lines[0]), minuteOf(log.lines.at(-1))).value
}

/** Gives the function that tells the figure from one minute to another, both included. */
function figureOver(figure: Figure, { lines }: Log): (from: number, to: number) => Found {
  switch (figure.kind) {
    case 'number': {
      const counted = [figure.of, ...(figure.and ? [figure.and] : [])].map((of) =>
        byMinute(of, lines),
      )
      return (from, to) => ({ value: counted.reduce((sum, of) => sum + total(of, from, to), 0) })
    }
    case 'share': {
      const of = byMinute(figure.of, lines)
      const among = byMinute(figure.among, lines)
      return (from, to) => {
        const whole = total(among, from, to)
        return { value: whole === 0 ? undefined : total(of, from, to) / whole }
      }
    }
    case 'each': {
      const counted = byMinute(figure.of, lines, figure.member)
      return (from, to) => {
        const [most] = [...totals(counted, from, to)].toSorted(([, a], [, b]) => b - a)
        return { value: most?.[1] ?? 0, who: most?.[0] }
      }
    }
    default: {
      const counted = byMinute(figure.of, lines, figure.member)
      return (from, to) => ({ value: totals(counted, from, to).size })
    }
  }
}

/** Adds up lines by minute and by the value of a member; lines without it are left out. */
function byMinute(query: Lines, lines: readonly Line[], member?: string): Minutes {
  const minutes = new Map<number, Map<string, number>>()
  for (const line of lines) {
    const value = member === undefined ? '' : line.members[member]
    if (value !== undefined && isOf(query, line)) {
      const at = minuteOf(line)
      const sums = minutes.get(at) ?? new Map<string, number>()
      minutes.set(at, sums)
      sums.set(String(value), (sums.get(String(value)) ?? 0) + weightOf(query, line))
    }
  }
  return minutes
}

/** What a line adds: its member, or the lines that it stands for. */
function weightOf({ sums }: Lines, { members }: Line): number {
  if (sums !== undefined) {
    return Number(members[sums])
  }
  const share = Number(members.share ?? 1)
  return share > 0 ? 1 / share : 1
}

function totals(minutes: Minutes, from: number, to: number): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (let at = from; at <= to; at++) {
    for (const [value, sum] of minutes.get(at) ?? []) {
      sums.set(value, (sums.get(value) ?? 0) + sum)
    }
  }
  return sums
}

function total(minutes: Minutes, from: number, to: number): number {
  let sum = 0
  for (let at = from; at <= to; at++) {
    sum += minutes.get(at)?.get('') ?? 0
  }
  return sum
}

/** Is a line one of those that a query asks for? */
function isOf({ events, where }: Lines, { event, members }: Line): boolean {
  return events.includes(event) && where.every((condition) => holds(condition, members))
}

function holds(condition: Condition, members: Line['members']): boolean {
  return 'anyOf' in condition
    ? condition.anyOf.some((test) => passes(test, members))
    : passes(condition, members)
}

function passes([member, is, value]: Test, members: Line['members']): boolean {
  const found = members[member]
  switch (is) {
    case '=':
      return found === value
    case '!=':
      return found !== value
    case 'contains':
      return typeof found === 'string' && found.includes(String(value))
    case '>':
      return typeof found === 'number' && found > Number(value)
    case '>=':
      return typeof found === 'number' && found >= Number(value)
    default:
      return typeof found === 'number' && found < Number(value)
  }
}
