import type { Alert, Figure } from './alert.ts'
import type { Condition, Lines, Test } from './query.ts'

/**
 * The lines of the service in Loki. Where the platform passes members as attributes and not as JSON, the parser fails on the
 * text of the line, which is no reason to refuse the query.
 *
 * @param service name of the Worker, or a variable of a dashboard
 */
function stream(service: string): string {
  return `{service_name="${service}"} | json | drop __error__, __error_details__`
}

/** The lines that a query asks for, in LogQL. */
export function linesQl(service: string, { events, where }: Lines): string {
  const [only] = events
  const event =
    events.length === 1
      ? `event="${only}"`
      : `event=~"${events.map((name) => escaped(name)).join('|')}"`
  return [stream(service), event, ...where.map(conditionQl)].join(' | ')
}

/** What one line adds to a number. */
const weight = 'label_format weight=`{{ if .share }}{{ divf 1 .share }}{{ else }}1{{ end }}`'

/**
 * A figure over a window, in LogQL. A number is 0 where there are no lines; a share of nothing has no value.
 *
 * @param window as LogQL writes it: `5m`
 */
export function figureQl(service: string, figure: Figure, window: string): string {
  const { of } = figure
  switch (figure.kind) {
    case 'number':
      return [of, ...(figure.and ? [figure.and] : [])]
        .map((query) => `(${totalQl(service, query, window)} or vector(0))`)
        .join(' + ')
    case 'share':
      return `(${totalQl(service, of, window)} or vector(0)) / ${totalQl(service, figure.among, window)}`
    case 'each':
      return totalQl(service, of, window, figure.member)
    default: {
      const named = `${linesQl(service, of)} | ${figure.member}!=""`
      return `count(sum by (${figure.member}) (count_over_time(${named} [${window}]))) or vector(0)`
    }
  }
}

/** 1 where an alert fires, 0 where it does not, for each value of a member where the alert asks for each. */
export function alertQl(service: string, { figure, minutes, bound, atLeast }: Alert): string {
  const comparison = 'above' in bound ? `> bool ${bound.above}` : `< bool ${bound.below}`
  const tests = minutes.map(
    (window) => `((${figureQl(service, figure, `${window}m`)}) ${comparison})`,
  )
  const count = figureQl(service, { kind: 'number', of: figure.of }, `${minutes[0]}m`)
  const enough = atLeast === undefined ? [] : [`((${count}) >= bool ${atLeast})`]
  return [...tests, ...enough].join(' * ')
}

/** The weighed number of lines, or the sum of a member, for all of them or for each value of a member. */
export function totalQl(service: string, query: Lines, window: string, by?: string): string {
  const named = by === undefined ? '' : ` | ${by}!=""`
  const unwrapped = query.sums === undefined ? `${weight} | unwrap weight` : `unwrap ${query.sums}`
  const grouping = by === undefined ? 'sum' : `sum by (${by}) `
  return `${grouping}(sum_over_time(${linesQl(service, query)}${named} | ${unwrapped} [${window}]))`
}

/** The operators of numbers and of texts. */
const operators = { '=': '=', '!=': '!=', '>': '>', '>=': '>=', '<': '<' } as const

function conditionQl(condition: Condition): string {
  return 'anyOf' in condition ? condition.anyOf.map(testQl).join(' or ') : testQl(condition)
}

function testQl([member, is, value]: Test): string {
  if (is === 'contains') {
    return `${member}=~".*${escaped(String(value))}.*"`
  }
  const operator = typeof value === 'number' && is === '=' ? '==' : operators[is]
  return `${member}${operator}${JSON.stringify(value)}`
}

/** A text as a regular expression in a string of LogQL that finds nothing else. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\\\$&')
}
