import type { LogEvent } from '../../../src/http/log.ts'
import { type ConditionOf, type Lines, linesOf, type Member } from './query.ts'

/** A figure that is made of the lines in a window of time. */
export type Figure =
  /** Their number, and that of others. */
  | { readonly kind: 'number'; readonly of: Lines; readonly and?: Lines }
  /** Their share of others. There is none without others. */
  | { readonly kind: 'share'; readonly of: Lines; readonly among: Lines }
  /** The number of those with the same value of a member; of all such numbers, each is judged by itself. */
  | { readonly kind: 'each'; readonly of: Lines; readonly member: Member<'request'> }
  /** The number of values of a member. Lines with `share` are not weighed: what is left out has values of its own. */
  | { readonly kind: 'different'; readonly of: Lines; readonly member: Member<'request'> }

/** The share of lines that pass further tests. */
export function shareOf<Event extends LogEvent>(
  among: Lines<Event>,
  called: string,
  ...further: readonly ConditionOf<NoInfer<Event>>[]
): Figure {
  return { kind: 'share', of: linesOf(among, called, ...further), among }
}

/** An alert on lines of the log. */
export interface Alert {
  readonly name: string
  readonly figure: Figure
  /** The windows, in minutes, the longest first. The figure of each must be beyond the bound. */
  readonly minutes: readonly [number, ...number[]]
  /** Where the figure is beyond its bound. */
  readonly bound: { readonly above: number } | { readonly below: number }
  /** The lines that a share must be made of at least, in the longest window: one failure of two requests wakes nobody. */
  readonly atLeast?: number
  readonly wakes: boolean
  /** The first thing to do, as Markdown. */
  readonly first: string
}

/** An alert on something that no line of the log can tell. */
export interface OutsideAlert {
  readonly name: string
  /** What to watch, and with what, as Markdown. */
  readonly when: string
  readonly wakes: boolean
  readonly first: string
}

/** Is a figure beyond the bound of an alert? */
export function isBeyond(figure: number, bound: Alert['bound']): boolean {
  return 'above' in bound ? figure > bound.above : figure < bound.below
}

/** The lines that an alert asks for. */
export function linesFor({ figure }: Alert): readonly Lines[] {
  if (figure.kind === 'share') {
    return [figure.of, figure.among]
  }
  return figure.kind === 'number' && figure.and ? [figure.of, figure.and] : [figure.of]
}

/** When an alert fires, as a sentence without its end: `more than 1 % of requests end in a 5xx, in 5 minutes`. */
export function whenOf({ figure, minutes, bound, atLeast }: Alert): string {
  const windows = minutes.map(timeOf).join(' and in ')
  const enough = atLeast === undefined ? '' : `, and at least ${countOf(atLeast)} of them`
  return `${beyond(figure, bound)} in ${windows}${enough}`
}

function beyond(figure: Figure, bound: Alert['bound']): string {
  const { called } = figure.of
  if ('below' in bound) {
    return `${called}: fewer than ${countOf(bound.below)}`
  }
  const { above } = bound
  switch (figure.kind) {
    case 'share':
      return `${called}: more than ${percent(above)} of ${figure.among.called}`
    case 'each':
      return `${called}: more than ${countOf(above)} with the same \`${figure.member}\``
    case 'different':
      return `${called}: more than ${countOf(above)} different \`${figure.member}\``
    default: {
      const both = figure.and ? `${called} and ${figure.and.called}` : called
      return above === 0 ? `${both}: any` : `${both}: more than ${countOf(above)}`
    }
  }
}

/** A number with commas between its thousands. */
export function countOf(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 })
}

/** A share as a percentage, with as many digits as it needs and three at most. */
export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`
}

/** A number of minutes in words. */
export function timeOf(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
